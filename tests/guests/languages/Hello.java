// Threads and the garbage collector's signals and memory tricks.
import java.util.ArrayList;
import java.util.List;

public class Hello {
    public static void main(String[] arguments) throws Exception {
        List<Thread> threads = new ArrayList<>();
        long[] sums = new long[20];
        for (int i = 0; i < sums.length; i++) {
            int number = i;
            threads.add(new Thread(() -> {
                for (int j = 0; j < 100000; j++) {
                    sums[number] += String.valueOf(j * number).length();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.start();
        }
        long sum = 0;
        for (int i = 0; i < sums.length; i++) {
            threads.get(i).join();
            sum += sums[i];
        }
        System.gc();
        System.out.println("sum " + sum);
        System.exit(7);
    }
}
