/**
 * Runs in a network and mount namespace of its own, which `judge.ts` makes: starts the small internet there, has everybody
 * judge its zones, and writes what they said into the file that is named.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { zoneFaults } from './faults.ts';
import type { Complaints } from './observed.ts';
import { otherJudges } from './others.ts';
import { judgeOurselves } from './ours.ts';
import { prefixes, RESOLVER, startWorld } from './world.ts';

/** Which libunbound trusts in Debian's programs. */
const SYSTEM_ROOT_KEYS = '/usr/share/dns/root.key';

const [result = '', ...available] = process.argv.slice(2);
// A new namespace has no interface that is up: nothing of this may reach a real network.
if (Object.keys(networkInterfaces()).length > 0) throw new Error('this is no network namespace of its own');

const folder = mkdtempSync(join(tmpdir(), 'judged-zones-'));
const program = (name: string, ...args: readonly string[]) =>
  execFileSync(name, args, { env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } });
program('ip', 'link', 'set', 'lo', 'up');
for (const prefix of prefixes) {
  program('ip', 'address', 'add', prefix, 'dev', 'lo', ...(prefix.includes(':') ? ['nodad'] : []));
}
const resolverFile = join(folder, 'resolv.conf');
writeFileSync(resolverFile, `nameserver ${RESOLVER}\noptions trust-ad edns0\n`);
program('mount', '--bind', resolverFile, '/etc/resolv.conf');

const world = await startWorld(folder, zoneFaults);
try {
  if (existsSync(SYSTEM_ROOT_KEYS)) program('mount', '--bind', world.files.rootKeys, SYSTEM_ROOT_KEYS);
  const said: Record<string, Complaints> = { ours: await judgeOurselves(world) };
  for (const judge of otherJudges.filter(({ name }) => available.includes(name))) {
    const started = performance.now();
    const zones = world.zones.filter(({ zone }) => judge.classes.includes(zone.class));
    said[judge.name] = await judge.judge(zones, world);
    console.log(
      `  ${judge.name}: ${zones.length} zones in ${Math.round((performance.now() - started) / 1000)} s`,
    );
  }
  const shown = Object.entries(said).map(([name, complaints]) => [name, Object.fromEntries(complaints)]);
  writeFileSync(result, JSON.stringify(Object.fromEntries(shown)));
} finally {
  await world.stop();
  if (existsSync(SYSTEM_ROOT_KEYS)) program('umount', SYSTEM_ROOT_KEYS);
  program('umount', '/etc/resolv.conf');
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
