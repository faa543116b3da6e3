use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

/// A writer that tells of each write.
struct Told(Sender<Vec<u8>>);

impl Write for Told {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn told() -> (Box<Told>, Receiver<Vec<u8>>) {
    let (sender, receiver) = channel();
    (Box::new(Told(sender)), receiver)
}

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("shunpike-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder in the temporary directory");
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_live_sink_passes_each_write_on() {
    let (writer, writes) = told();
    let mut sink = Sink::live(writer);
    sink.write(Tid(1), b"read(0, ").unwrap();
    assert_eq!(writes.try_recv().unwrap(), b"read(0, ");
}

#[test]
fn buffered_bytes_come_in_one_write_when_they_are_asked_for() {
    let (writer, writes) = told();
    let mut sink = Sink::buffered(writer);
    assert!(!sink.is_waiting());
    sink.write(Tid(1), b"one\n").unwrap();
    sink.write(Tid(2), b"two\n").unwrap();
    assert!(sink.is_waiting() && writes.try_recv().is_err());
    sink.flush().unwrap();
    assert_eq!(writes.try_recv().unwrap(), b"one\ntwo\n");
    assert!(!sink.is_waiting());
}

#[test]
fn what_is_left_is_written_at_the_end_and_nothing_twice() {
    let (writer, writes) = told();
    let mut sink = Sink::buffered(writer);
    for _ in 0..30_000 {
        sink.write(Tid(1), b"0123456789\n").unwrap();
    }
    sink.finish().unwrap();
    let all: Vec<u8> = writes.iter().flatten().collect();
    assert_eq!(all, b"0123456789\n".repeat(30_000));
}

#[test]
fn an_error_is_told_once_and_harms_nobody() {
    let mut sink = Sink::file("/dev/full".as_ref(), true).unwrap();
    let large = vec![b'x'; 100 << 10];
    let error = sink.write(Tid(1), &large).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    sink.write(Tid(1), &large).unwrap();
    sink.finish().unwrap();

    let mut sink = Sink::file("/dev/full".as_ref(), true).unwrap();
    sink.write(Tid(1), b"x").unwrap();
    assert_eq!(sink.finish().unwrap_err().kind(), io::ErrorKind::StorageFull);
}

#[test]
fn each_thread_has_its_file_however_many_there_are() {
    let folder = Folder::new("per-thread");
    fs::write(folder.0.join("trace.1"), "from an earlier run\n").unwrap();
    let mut sink = Sink::per_thread(folder.0.join("trace"), false);
    let threads = 1..=600;
    for round in 0..3 {
        for tid in threads.clone() {
            sink.write(Tid(tid), format!("{tid} {round}\n").as_bytes()).unwrap();
            sink.thread_ended(Tid(tid)).unwrap();
        }
    }
    sink.finish().unwrap();
    for tid in threads {
        let lines = fs::read_to_string(folder.0.join(format!("trace.{tid}"))).unwrap();
        assert_eq!(lines, format!("{tid} 0\n{tid} 1\n{tid} 2\n"));
    }
}

#[test]
fn appending_keeps_what_a_file_holds() {
    let folder = Folder::new("append");
    let path = folder.0.join("trace");
    for (append, expected) in [(false, "a"), (true, "aa"), (false, "a")] {
        let mut sink = Sink::file(&path, append).unwrap();
        sink.write(Tid(1), b"a").unwrap();
        sink.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
    }
}

#[test]
fn a_command_gets_everything_and_is_waited_for() {
    let folder = Folder::new("command");
    let path = folder.0.join("sorted");
    let mut sink = Sink::command(format!("sort > {}", path.display()).as_ref()).unwrap();
    sink.write(Tid(1), b"b\na\n").unwrap();
    sink.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\n");
}

#[test]
fn a_command_that_cannot_be_run_is_told() {
    let mut sink = Sink::command("exec /nonexistent/command".as_ref()).unwrap();
    sink.write(Tid(1), b"x\n").unwrap();
    let error = sink.finish().unwrap_err();
    assert!(error.to_string().contains("cannot be run"), "{error}");
}

#[test]
fn a_command_may_stop_reading_and_end_as_it_likes() {
    let mut sink = Sink::command("exec 0<&-; exit 3".as_ref()).unwrap();
    let more_than_a_pipe_holds = vec![b'x'; 1 << 20];
    sink.write(Tid(1), &more_than_a_pipe_holds).unwrap();
    sink.finish().unwrap();
}

#[test]
fn clones_write_to_the_same_place_until_the_last_has_finished() {
    let (writer, writes) = told();
    let mut first = Sink::buffered(writer);
    let mut second = first.clone();
    first.write(Tid(1), b"lines\n").unwrap();
    first.finish().unwrap();
    second.write(Tid(1), b"counts\n").unwrap();
    second.finish().unwrap();
    let all: Vec<u8> = writes.iter().flatten().collect();
    assert_eq!(all, b"lines\ncounts\n");
}
