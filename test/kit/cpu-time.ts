import { readFileSync } from 'node:fs';

/** User and system time of a process so far (proc_pid_stat(5), in ticks of 10 ms). */
export function cpuSeconds(pid: number): number {
  const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/\(.*\)/, '')
    .split(/ +/);
  return (Number(user) + Number(system)) / 100;
}
