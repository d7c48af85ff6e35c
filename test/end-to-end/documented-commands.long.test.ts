/** Runs the `sh` blocks of the README and of docs/ as a reader does: one after the other, in one shell. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import * as z from 'zod/mini';
import { codeBlocks, readDocument } from '../docs/documents.ts';
import { compileCache } from '../kit/compile-cache.ts';
import { type BootedService, bootService } from '../kit/service.ts';
import { atEnd, useFolder } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The order matters: later documents use variables that the README sets. */
const documents = [
  'README.md',
  'docs/fixes.md',
  'docs/evidence.md',
  'docs/enforcement.md',
  'docs/api.md',
  'docs/alerts.md',
  'docs/operations.md',
  'docs/deploy-aws.md',
  'docs/self-host.md',
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
atEnd(() => service?.remove());

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

/** The script of the CI job that needs only curl and jq. */
const jobSchema = z.object({
  jobs: z.record(z.string(), z.object({ steps: z.array(z.object({ run: z.optional(z.string()) })) })),
});

const needed = ['/bin/bash', '/usr/bin/curl', '/usr/bin/jq'].filter((program) => !existsSync(program));

(needed.length === 0 ? test : test.skip)(
  `the documented CI job judges a zone file through the API${needed.length === 0 ? '' : ` (skipped: no ${needed.join(', ')})`}`,
  async () => {
    const own = await useService();
    const folder = useFolder('ci');
    const { url, token } = own;
    const registered = await fetch(`${url}/api/v1/domains`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"domain": "good.test", "testEmailLocalPart": "postmaster"}',
    });
    const { data } = z.parse(z.object({ data: z.object({ id: z.string() }) }), await registered.json());
    const [block = ''] = codeBlocks(readDocument('docs/fixes.md'), 'yaml');
    const { jobs } = z.parse(jobSchema, parse(block));
    const [job] = Object.values(jobs);
    const script = job?.steps.flatMap(({ run }) => run ?? []).join('\n') ?? '';
    expect(script).toContain('checks/preview');
    const judged = async (zone: string) => {
      mkdirSync(join(folder, 'dns'), { recursive: true });
      writeFileSync(join(folder, 'dns/example.com.zone'), zone);
      const environment = { API: url, TOKEN: token, DOMAIN_ID: data.id };
      return (await runInBash(`cd ${folder}\nset -eo pipefail\n${script}`, environment)).code;
    };
    // The shell of GitHub Actions has these options. jq exits with 1 for false.
    expect(await judged('_smtp._tls TXT "v=TLSRPTv1; rua=mailto:tls@good.test"\n')).toBe(0);
    expect(await judged('@ TXT "v=spf1 include: -all"\n')).toBe(1);
  },
  TEST_MILLISECONDS,
);

test('these are the documents that have commands to run', () => {
  const found = globSync(['*.md', 'docs/*.md'], { cwd: root }).filter((file) => blocksOf(file).length > 0);
  expect(found.toSorted()).toEqual(documents.toSorted());
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
