/** Starts the example internet for a test, with a resolver and a validator. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type ExampleInternet,
  type ExampleInternetOptions,
  startExampleInternet,
} from '../../../../lib/local/example-internet/index.ts';
import { systemClock } from '../../../../shared/network/clock.ts';
import { createResolver, type ServerAddress } from '../../../../shared/network/resolver.ts';
import type { Dns } from '../../../../shared/protocol/dns.ts';
import { parseTrustAnchors } from '../../../../shared/protocol/dnssec/anchors.ts';
import { createValidator, type Validator } from '../../../../shared/protocol/dnssec/chain.ts';

export interface World {
  readonly internet: ExampleInternet;
  readonly dnsPort: number;
  readonly dns: Dns;
  readonly validator: Validator;
  /** Returns the entry of `host:port` in the dial map. */
  dialled(hostAndPort: string): { readonly host: string; readonly port: number };
}

export async function startWorld(
  forwardTo: readonly ServerAddress[] = [],
  others: Omit<ExampleInternetOptions, 'forwardTo'> = {},
): Promise<World> {
  const internet = await startExampleInternet({ forwardTo, ...others });
  const dnsPort = Number(internet.dnsServers.split(':')[1]);
  const dns = createResolver({ servers: [{ address: '127.0.0.1', port: dnsPort }], clock: systemClock });
  const parsed = parseTrustAnchors(internet.trustAnchors);
  if (!parsed.ok) throw new Error(`unreadable anchor: ${parsed.entry}`);
  const map = new Map(internet.dialMap.split(',').map((entry) => entry.split('=') as [string, string]));
  return {
    internet,
    dnsPort,
    dns,
    validator: createValidator({ dns, anchors: parsed.anchors, clock: systemClock }),
    dialled(hostAndPort) {
      const [host = '', port] = (map.get(hostAndPort) ?? '').split(':');
      return { host, port: Number(port) };
    },
  };
}

/** Whether a program is installed. */
export function has(program: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.some((folder) => existsSync(join(folder, program)));
}

/** Runs a program without input and for at most ten seconds, and returns its output on both streams. */
export async function run(program: string, ...args: string[]): Promise<string> {
  const running = promisify(execFile)(program, args, { timeout: 10_000 });
  running.child.stdin?.end();
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
