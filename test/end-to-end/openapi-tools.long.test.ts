/** Tools that other people use with OpenAPI documents: linters, and a generator of requests. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { startDnsServer } from '../kit/dns-server.ts';
import { fromNpm, fromPip } from '../kit/outside-packages.ts';
import { use, useFolder } from '../kit/use.ts';
import { useService } from '../kit/use-service.ts';

const linters = await fromNpm(['@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0']);
const schemathesis = await fromPip(['schemathesis==4.32.5']);

/** About 1,500 requests, some of which run all checks of a domain. */
const GENERATED_REQUESTS_MILLISECONDS = 600_000;

// The names in generated requests do not exist.
const dns = await use(startDnsServer({}, { negativeTtl: 60 }));
const service = await useService({
  API_RATE_PER_MINUTE: '60000',
  TOOL_RATE_PER_MINUTE: '6000',
  DNS_SERVERS: dns.address,
});
const folder = useFolder('openapi');
const file = join(folder, 'openapi.json');
const document = JSON.parse(await (await fetch(`${service.url}/api/openapi.json`)).text());
// Linters refuse a description of a local host.
writeFileSync(file, JSON.stringify({ ...document, servers: [{ url: 'https://monitor.example.net' }] }));

const titled = (title: string, found: typeof linters): string =>
  'missing' in found ? `${title} (skipped: ${found.missing})` : title;

const testIf = (found: typeof linters) => ('missing' in found ? test.skip : test);

const folderOf = (found: typeof linters): string => ('missing' in found ? '' : found.folder);

/** Runs a program. Returns its exit code and everything that it printed. */
async function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: folder, env });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
}

const runScript = (found: typeof linters, script: string, ...args: readonly string[]) =>
  run(process.execPath, [join(folderOf(found), 'node_modules', script), ...args]);

describe('the OpenAPI document', () => {
  testIf(linters)(titled('passes Spectral without warnings', linters), async () => {
    const ruleset = join(folder, 'ruleset.yaml');
    writeFileSync(ruleset, 'extends: ["spectral:oas"]\n');
    const script = '@stoplight/spectral-cli/dist/index.js';
    const args = ['lint', file, '--ruleset', ruleset, '--fail-severity', 'hint'];
    const { code, output } = await runScript(linters, script, ...args);
    expect(output.trim()).toBe("No results with a severity of 'hint' or higher found!");
    expect(code).toBe(0);
  });

  testIf(linters)(titled('passes Redocly without warnings', linters), async () => {
    const { code, output } = await runScript(
      linters,
      '@redocly/cli/bin/cli.js',
      'lint',
      file,
      '--extends=recommended',
    );
    expect(output).not.toMatch(/You have \d+ (?:warning|error)/);
    expect([code, output]).toEqual([0, expect.stringContaining('Your API description is valid')]);
  });

  testIf(schemathesis)(
    titled('is true of the responses to generated requests', schemathesis),
    async () => {
      const kit = fileURLToPath(new URL('../kit', import.meta.url));
      const { code, output } = await run(
        'python3',
        [
          ...[
            '-m',
            'schemathesis.cli',
            'run',
            `${service.url}/api/openapi.json`,
            '--no-color',
            '--seed',
            '1',
          ],
          ...['--generation-database', 'none'],
          // Only channels that are set can be tested, and only mailboxes of a server can be added.
          ...['--exclude-operation-id', 'testNotifications', '--exclude-operation-id', 'addMailbox'],
          ...['--phases', process.env.PHASES ?? 'examples,coverage', '--request-timeout', '60'],
          // The hooks leave out many batches.
          ...['--suppress-health-check', 'filter_too_much'],
        ],
        {
          ...process.env,
          API_TOKEN: service.token,
          PYTHONPATH: [folderOf(schemathesis), kit].join(delimiter),
          PYTHONDONTWRITEBYTECODE: '1',
          SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
        },
      );
      expect(output).toMatch(/^Test cases:\n {2}\d+ generated, \d+ passed/m);
      expect(code).toBe(0);
    },
    GENERATED_REQUESTS_MILLISECONDS,
  );
});
