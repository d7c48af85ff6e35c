/** The documents for collectors against what the authors of the schemas publish: types of ECS, and the schema of OCSF. */
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { siemBody } from '../../../shared/notify/siem.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';
import { fromNpm, fromPip } from '../../kit/outside-packages.ts';
import { useFolder } from '../../kit/use.ts';

const run = promisify(execFile);
const folder = useFolder('siem');

const about = { id: '018f0000-0000-7000-8000-00000000000a', createdAt: '2026-03-01T10:00:00.000Z' };
const domain = { domainId: about.id, domainName: 'example.org' };
const body = (format: 'ecs' | 'ocsf'): string =>
  siemBody(
    madeDelivery({
      channel: 'webhook',
      events: [
        { ...about, ...domain, type: 'checks.completed', score: null, grade: null },
        { ...about, ...domain, type: 'domain.verified' },
      ],
    }),
    (['critical', 'warning', 'info'] as const).map((severity) => storedAlert({ severity })),
    format,
    { hostUrl: 'https://monitor.example.net' },
  );

const skipped = (reason: string) => void process.stderr.write(`(skipped: ${reason})\n`);

test('documents of ECS have only fields that it has, with their types', async () => {
  const found = await fromNpm(['@elastic/ecs@9.4.0']);
  if ('missing' in found) return skipped(found.missing);
  symlinkSync(join(found.folder, 'node_modules'), join(folder, 'node_modules'));
  const check = async (documents: string) => {
    const file = join(folder, 'check.ts');
    writeFileSync(
      file,
      `import type { Ecs } from '@elastic/ecs';\nexport const documents: Ecs[] = ${documents};\n`,
    );
    const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
    const options = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'esnext',
      '--moduleResolution',
      'bundler',
    ];
    return run(process.execPath, [compiler, '--ignoreConfig', ...options, file], { cwd: folder }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  };
  expect(await check(body('ecs'))).toBe('');
  expect(await check(body('ecs').replaceAll('"outcome"', '"result"'))).toContain('"result"');
});

test('findings of OCSF are valid by the schema of their version and class, and have no other attributes', async () => {
  const found = await fromPip(['ocsf-json-schema==1.2.0', 'jsonschema==4.25.1']);
  if ('missing' in found) return skipped(found.missing);
  const program = `
import json, sys
from jsonschema import Draft202012Validator
from ocsf_json_schema import OcsfJsonSchemaEmbedded, get_ocsf_schema
for given in json.loads(sys.argv[1]):
    schema = OcsfJsonSchemaEmbedded(get_ocsf_schema(version=given["metadata"]["version"]))
    name = schema.lookup_class_name_from_uid(class_uid=given["class_uid"])
    rules = schema.get_class_schema(class_name=name, profiles=given["metadata"].get("profiles", []))
    errors = [error.message for error in Draft202012Validator(rules).iter_errors(given)]
    print(name, errors, sorted(set(given) - set(rules["properties"])))
`;
  const judge = async (findings: string) =>
    (
      await run('python3', ['-c', program, findings], { env: { ...process.env, PYTHONPATH: found.folder } })
    ).stdout
      .trim()
      .split('\n');
  expect(await judge(body('ocsf'))).toEqual(Array(5).fill('detection_finding [] []'));
  const [first] = await judge(body('ocsf').replaceAll('"severity_id":5', '"severity_id":55'));
  expect(first).toContain('55 is not one of');
});
