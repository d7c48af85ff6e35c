/**
 * `npm run bench [part]` measures and prints, but never fails: results of one machine are not a gate. Each part runs in
 * a separate process, because modules of other parts slow the garbage collector, and so the measured code, by half.
 */

import { spawnSync } from 'node:child_process';
import { type BenchRow, printRows } from './row.ts';

const parts: Readonly<Record<string, () => Promise<readonly BenchRow[]>>> = {
  abuse: async () => (await import('./abuse.ts')).benchAbuse(),
  bundles: async () => (await import('./bundles.ts')).benchBundles(),
  capacity: async () => (await import('./capacity.ts')).benchCapacity(),
  checks: async () => (await import('./checks.ts')).benchChecks(),
  console: async () => (await import('./console.ts')).benchConsole(),
  import: async () => (await import('./import.ts')).benchImport(),
  kills: async () => (await import('./kills.ts')).benchKills(),
  lighthouse: async () => (await import('./lighthouse.ts')).benchLighthouse(),
  mailboxes: async () => (await import('./mailboxes.ts')).benchMailboxes(),
  mails: async () => (await import('./mails.ts')).benchMails(),
  notifications: async () => (await import('./notifications.ts')).benchNotifications(),
  requests: async () => (await import('./requests.ts')).benchRequests(),
  simulations: async () => (await import('./simulations.ts')).benchSimulations(),
  sizing: async () => (await import('./sizing.ts')).benchSizing(),
  stories: async () => (await import('./stories.ts')).benchStories(),
  summaries: async () => (await import('./summaries.ts')).benchSummaries(),
};

const [program = '', only] = process.argv.slice(1);
if (only === undefined) {
  for (const name of Object.keys(parts)) spawnSync(process.execPath, [program, name], { stdio: 'inherit' });
} else {
  const part = parts[only];
  if (part === undefined) throw new Error(`no part ${only}: ${Object.keys(parts).join(', ')}`);
  printRows(await part());
}
