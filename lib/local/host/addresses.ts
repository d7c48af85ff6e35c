/** Where the running service listens and sends mail, kept in the data folder so that commands on this machine find it. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { LOOPBACK_ADDRESS } from '../stores/loopback.ts';
import { replaceFile } from './replace-file.ts';

const endpoint = z.object({ host: z.string(), port: z.number() });
const addresses = z.object({
  http: endpoint,
  smtp: endpoint,
  /** The settings with which mail leaves. */
  mail: z.object({ ALERT_SENDER: z.string(), MAIL_TRANSPORT: z.string() }),
  /** The settings with which handlers reach a part of the internet that this machine serves itself. */
  internet: z._default(z.record(z.string(), z.string()), {}),
});

export type Addresses = z.infer<typeof addresses>;

const FILE = 'addresses.json';
/** What a service that listens on every address is reached at from its own machine. */
const LOOPBACK: Readonly<Record<string, string>> = { '0.0.0.0': LOOPBACK_ADDRESS, '::': '::1' };

/** Writes the file; the returned part removes it when the service stops. */
export function keepAddresses(folder: string, { http, smtp, mail, internet }: Addresses): { stop(): void } {
  const reached = (one: Addresses['http']) => ({ ...one, host: LOOPBACK[one.host] ?? one.host });
  const kept: Addresses = { http: reached(http), smtp: reached(smtp), mail, internet };
  replaceFile(join(folder, FILE), `${JSON.stringify(kept)}\n`);
  return { stop: () => rmSync(join(folder, FILE), { force: true }) };
}

/** The addresses of the service that uses the folder; undefined if none does. A killed service leaves its file. */
export function readAddresses(folder: string): Addresses | undefined {
  try {
    return addresses.parse(JSON.parse(readFileSync(join(folder, FILE), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
