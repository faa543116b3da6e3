// Timers, files by the thread pool, and a child.
const fs = require("fs");
const { execFile } = require("child_process");

const files = Array.from({ length: 20 }, () => fs.promises.readFile("/proc/self/comm"));
Promise.all(files).then((texts) => {
  console.log("files", texts.length);
  execFile("sh", ["-c", "echo child; exit 3"], (error, stdout) => {
    console.log(stdout.trim(), error.code);
    setTimeout(() => process.exit(6), 10);
  });
});
