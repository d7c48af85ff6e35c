/** A real BIND on loopback that serves zones of a test, which can change while it runs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

export interface Bind {
  /** `127.0.0.1:port`, the format of DNS_SERVERS. */
  readonly server: string;
  /** Replaces the records of a zone (master file lines without SOA and NS) and waits until they are served. */
  publish(zone: string, records: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

const WAIT_MILLISECONDS = 30_000;

/** Whether BIND, dig and the `others` are installed on this machine; CI installs them. */
export function hasBind(...others: readonly string[]): boolean {
  return ['named', 'dig', ...others].every((program) => {
    try {
      execFileSync('which', [program], { stdio: 'ignore', env: { PATH: `${process.env.PATH}:/usr/sbin` } });
      return true;
    } catch {
      return false;
    }
  });
}

/** Why BIND cannot run on this machine; undefined if it can. */
export const missingForBind = () => (hasBind() ? undefined : 'named and dig are not installed');

/** Starts BIND as the authority of `zones`, which are empty at first; responses have a TTL of `ttlSeconds`. */
export async function startBind(zones: readonly string[], ttlSeconds = 300): Promise<Bind> {
  const folder = mkdtempSync(join(tmpdir(), 'bind-'));
  const port = await freePort();
  let serial = 1;
  const write = (zone: string, records: readonly string[]) =>
    writeFileSync(
      join(folder, `${zone}.zone`),
      [
        `$TTL ${ttlSeconds}`,
        `@ IN SOA ns.${zone}. admin.${zone}. ${serial} 3600 600 86400 ${ttlSeconds}`,
        `@ IN NS ns.${zone}.`,
        'ns IN A 192.0.2.53',
        ...records,
        '',
      ].join('\n'),
    );
  for (const zone of zones) write(zone, []);
  writeFileSync(
    join(folder, 'named.conf'),
    [
      `options { directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };`,
      `  pid-file "${folder}/named.pid"; session-keyfile "${folder}/session.key"; recursion no; notify no; };`,
      'controls { };',
      ...zones.map((zone) => `zone "${zone}" { type primary; file "${zone}.zone"; };`),
    ].join('\n'),
  );
  const child = spawn('named', ['-g', '-c', join(folder, 'named.conf'), '-n', '1'], {
    stdio: 'ignore',
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
  });
  const server = `127.0.0.1:${port}`;
  await Promise.all(zones.map((zone) => untilServed(port, zone, serial, child)));
  return {
    server,
    async publish(zone, records) {
      serial += 1;
      write(zone, records);
      child.kill('SIGHUP');
      await untilServed(port, zone, serial, child);
    },
    async stop() {
      if (child.exitCode === null) {
        const closed = once(child, 'close');
        child.kill('SIGTERM');
        await closed;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilServed(port: number, zone: string, serial: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + WAIT_MILLISECONDS;
  while (Date.now() < until && child.exitCode === null) {
    try {
      const soa = execFileSync(
        'dig',
        ['@127.0.0.1', '-p', String(port), '+short', '+time=1', '+tries=1', '+norecurse', zone, 'SOA'],
        { encoding: 'utf8' },
      );
      if (soa.includes(` ${serial} 3600 `)) return;
    } catch {
      // Not up yet: dig fails while nothing responds.
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`BIND does not serve ${zone}`);
}
