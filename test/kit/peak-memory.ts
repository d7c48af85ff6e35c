/** The peak memory of a process. */
import { readFileSync } from 'node:fs';

/**
 * Peak memory of this process in megabytes. On Linux the value comes from the process's own status file: `maxRSS`
 * starts there with the memory of the parent at the time of the start (getrusage(2), carried over by execve), which in
 * a test is the test runner.
 */
export function peakMegabytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return memoryOf('self').peak;
}

/** The current and the peak memory of a process in megabytes, according to proc_pid_status(5). */
export function memoryOf(pid: number | 'self'): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
