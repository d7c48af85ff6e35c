/** The most memory that a process has held. */
import { readFileSync } from 'node:fs';

/**
 * Megabytes that this process ever had in memory. Linux is asked for its own account of the process: `maxRSS` begins
 * there with what the parent held when it started the process (getrusage(2), carried over by execve), which in a test
 * is the test runner.
 */
export function peakMegabytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1024;
  return memoryOf('self').peak;
}

/** Megabytes that a process has in memory now, and ever had, by proc_pid_status(5). */
export function memoryOf(pid: number | 'self'): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
