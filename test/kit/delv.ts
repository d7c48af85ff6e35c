/** The validator of BIND as a program, which validates what a server of record sets answers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TrustAnchor } from '../../shared/protocol/dnssec/anchors.ts';
import { type AnswerWith, startSetServer, type Verdict } from './set-server.ts';

export interface Delv {
  judge(name: string, type: string): Promise<Verdict>;
  stop(): void;
}

/** Starts the server. delv trusts `anchor`, which is the one of the root, and judges at the time of this machine. */
export async function startDelv(anchor: TrustAnchor, answer: AnswerWith): Promise<Delv> {
  const server = await startSetServer(answer);
  const folder = mkdtempSync(join(tmpdir(), 'delv-'));
  const anchors = join(folder, 'anchors');
  const { keyTag, algorithm, digestType, digest } = anchor.ds;
  const key = `${keyTag} ${algorithm} ${digestType} "${Buffer.from(digest).toString('hex')}"`;
  writeFileSync(anchors, `trust-anchors { . static-ds ${key}; };\n`);
  return {
    async judge(name, type) {
      const query = ['@127.0.0.1', '-p', String(server.port), '-a', anchors, '+root', name, type];
      const { stdout, stderr } = await promisify(execFile)('delv', query, { timeout: 20_000 });
      return verdictIn(`${stdout}${stderr}`);
    },
    stop() {
      server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** What delv printed. An answer whose aliases or records have different statuses is as secure as the worst of them. */
export function verdictIn(printed: string): Verdict {
  if (/^;; resolution failed: (?!ncache)/m.test(printed)) return 'bogus';
  return /^; (.*, )?unsigned answer/m.test(printed) ? 'insecure' : 'secure';
}
