/** Runs the `sh` blocks of the README and of docs/ as a reader does: one after the other, in one shell. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { codeBlocks, readDocument } from '../docs/documents.ts';
import { compileCache } from '../kit/compile-cache.ts';
import { type BootedService, bootService } from '../kit/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The order matters: later documents use variables that the README sets. */
const documents = [
  'README.md',
  'docs/enforcement.md',
  'docs/api.md',
  'docs/alerts.md',
  'docs/operations.md',
  'docs/deploy-aws.md',
];

const blocksOf = (file: string): string[] => codeBlocks(readDocument(file), 'sh');

/** Time for about thirty commands, most of which start a process; each takes a few seconds on a busy machine. */
const SHELL_MILLISECONDS = 480_000;
const TEST_MILLISECONDS = SHELL_MILLISECONDS + 60_000;

/** Stops at the first command that fails. An HTTP error counts as a failure. */
const PRELUDE = `set -euo pipefail
trap 'echo "FAILED: $BASH_COMMAND"' ERR
curl() { command curl --fail-with-body "$@"; }
`;

/** Of the 400 days of reports that `demo` stores, 40 are enough here: it skips what is older than the retention time. */
const shortDemo = (script: string): string =>
  script.replace('npm run admin -- demo', 'RETENTION_DAYS=40 npm run admin -- demo');

let service: BootedService | undefined;
afterAll(() => service?.remove());

const missing = ['/bin/bash', '/usr/bin/curl'].filter((program) => !existsSync(program));

(missing.length === 0 ? test : test.skip)(
  `the documented commands work${missing.length === 0 ? '' : ` (skipped: no ${missing.join(', ')})`}`,
  async () => {
    service = await bootService();
    const { url, smtpPort, dataDir } = service;
    const script = documents
      .flatMap((file) => blocksOf(file).map((block) => `echo '== ${file}'\n${block}`))
      .join('\n')
      .replaceAll('localhost:3000', new URL(url).host)
      .replaceAll('localhost:2525', `localhost:${smtpPort}`)
      .replaceAll('.data/', `${dataDir}/`);
    const { code, output } = await runInBash(PRELUDE + shortDemo(script), { DATA_DIR: dataDir });
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    for (const shown of [
      /policy: 'none'/,
      /\nnot ready\n[\s\S]*\nready\n/,
      /alerts: {5}by mail to ops@good\.test/,
      /score: \d/,
      /"verified":true/,
      /\/s\/spf\//,
      /verdict {2}ham/,
      /accepted/,
    ])
      expect(output).toMatch(shown);
  },
  TEST_MILLISECONDS,
);

test('each of these documents has commands to run', () => {
  expect(documents.filter((file) => blocksOf(file).length === 0)).toEqual([]);
});

async function runInBash(
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('/bin/bash', ['-c', script], {
    cwd: root,
    env: { PATH, HOME, NO_COLOR: '1', ...compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: SHELL_MILLISECONDS,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}
