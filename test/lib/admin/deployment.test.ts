import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deploymentOf } from '../../../lib/admin/deployment.ts';
import { ADMIN_OUTPUT, adminEnvironment } from '../../../lib/cloud/admin-output.ts';
import { CommandError } from '../../../lib/local/command-line.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'outputs-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const where = { AWS_REGION: 'eu-west-1', TABLE_NAME: 'their-table', MAIL_BUCKET: 'their-mail' };
const told = JSON.stringify(
  adminEnvironment(where, {
    REPORTS_DOMAIN: 'reports.acme.org',
    TESTER_DOMAIN: 'tester.acme.org',
    RETENTION_DAYS: '90',
  }),
);

/** A file as `cdk deploy --outputs-file` writes it. */
function outputsFile(stacks: object): string {
  const path = join(folder, 'outputs.json');
  writeFileSync(path, JSON.stringify(stacks));
  return path;
}
const outputs = () =>
  outputsFile({ data: { TableName: 'their-table' }, service: { ApiUrl: 'x', [ADMIN_OUTPUT]: told } });

describe('the deployment that a command is about', () => {
  test('is none where nothing names one', async () => {
    expect(await deploymentOf({}, { RETENTION_DAYS: '30' })).toBeUndefined();
  });

  test('is what the outputs tell, whatever the environment of this machine says', async () => {
    const environment = {
      RETENTION_DAYS: '0',
      UNAUTHENTICATED_REPORTS: 'set-aside',
      AWS_REGION: 'us-east-1',
    };
    const deployment = await deploymentOf({ outputs: outputs() }, environment);
    expect(deployment).toMatchObject({ table: 'their-table', bucket: 'their-mail', region: 'eu-west-1' });
    expect(deployment?.setting('RETENTION_DAYS')).toBe(90);
    expect(deployment?.setting('UNAUTHENTICATED_REPORTS')).toBe('count');
    expect(deployment?.setting('REPORTS_DOMAIN')).toBe('reports.acme.org');
    expect(deployment?.setting('SERVICE_LABEL')).toBe('svc');
  });

  test('has another table or bucket where a flag says so, and its settings all the same', async () => {
    const flags = { outputs: outputs(), table: 'restored', bucket: 'copied' };
    const deployment = await deploymentOf(flags, {});
    expect(deployment).toMatchObject({ table: 'restored', bucket: 'copied', region: 'eu-west-1' });
    expect(deployment?.setting('RETENTION_DAYS')).toBe(90);
  });

  test('without outputs has the settings that the environment gives, and no others', async () => {
    const deployment = await deploymentOf({ table: 'theirs' }, { RETENTION_DAYS: '30', SERVICE_LABEL: '' });
    expect(deployment).toMatchObject({ table: 'theirs', bucket: undefined, region: undefined });
    expect(deployment?.setting('RETENTION_DAYS')).toBe(30);
    for (const key of ['SERVICE_LABEL', 'UNAUTHENTICATED_REPORTS'] as const)
      expect(() => deployment?.setting(key)).toThrow(new CommandError(notKnown(key)));
  });

  test.each([
    ['no service stack', { data: { TableName: 'x' } }, `holds no ${ADMIN_OUTPUT}`],
    ['two', { one: { [ADMIN_OUTPUT]: told }, two: { [ADMIN_OUTPUT]: told } }, 'more than one deployment'],
    ['what another version told', { one: { [ADMIN_OUTPUT]: '{"TABLE_NAME":"x"}' } }, 'another version'],
    ['no JSON in it', { one: { [ADMIN_OUTPUT]: '{' } }, 'another version'],
    ['no outputs', ['x'], 'something else than the outputs of stacks'],
  ])('refuses a file with %s', async (_what, content, message) => {
    const refused = deploymentOf({ outputs: outputsFile(content) }, {});
    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(message);
  });
});

const notKnown = (key: string) =>
  `${key} of the deployment is not known: give --outputs, or set it in the environment`;
