import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { deploymentOf } from '../../../lib/admin/deployment.ts';
import { ADMIN_OUTPUT, adminEnvironment } from '../../../lib/cloud/admin-output.ts';
import { CommandError } from '../../../lib/terminal/command-line.ts';
import { useFolder } from '../../kit/use.ts';

const folder = useFolder('outputs');

const where = {
  AWS_REGION: 'eu-west-1',
  TABLE_NAME: 'their-table',
  MAIL_BUCKET: 'their-mail',
  SECRETS_KEY: 'their-key',
};
const adminOutput = JSON.stringify(
  adminEnvironment(where, {
    REPORTS_DOMAIN: 'reports.acme.org',
    TESTER_DOMAIN: 'tester.acme.org',
    RETENTION_DAYS: '90',
  }),
);

/** Writes a file in the format of `cdk deploy --outputs-file`. */
function outputsFile(stacks: object): string {
  const path = join(folder, 'outputs.json');
  writeFileSync(path, JSON.stringify(stacks));
  return path;
}
const outputs = () =>
  outputsFile({ data: { TableName: 'their-table' }, service: { ApiUrl: 'x', [ADMIN_OUTPUT]: adminOutput } });

describe('the deployment that a command uses', () => {
  test('is undefined if nothing names one', async () => {
    expect(await deploymentOf({}, { RETENTION_DAYS: '30' })).toBeUndefined();
  });

  test('comes from the stack outputs, whatever the environment of this machine says', async () => {
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

  test('has the table or bucket of a flag, and the settings of the outputs', async () => {
    const flags = { outputs: outputs(), table: 'restored', bucket: 'copied' };
    const deployment = await deploymentOf(flags, {});
    expect(deployment).toMatchObject({ table: 'restored', bucket: 'copied', region: 'eu-west-1' });
    expect(deployment?.setting('RETENTION_DAYS')).toBe(90);
  });

  test('has only the settings of the environment if there are no outputs', async () => {
    const deployment = await deploymentOf({ table: 'theirs' }, { RETENTION_DAYS: '30', SERVICE_LABEL: '' });
    expect(deployment).toMatchObject({ table: 'theirs', bucket: undefined, region: undefined });
    expect(deployment?.setting('RETENTION_DAYS')).toBe(30);
    for (const key of ['SERVICE_LABEL', 'UNAUTHENTICATED_REPORTS'] as const)
      expect(() => deployment?.setting(key)).toThrow(new CommandError(notKnown(key)));
  });

  test('has the queues that the outputs of all stacks name', async () => {
    const stacks = {
      mail: { ReportsQueueUrl: 'https://sqs/1/reports', ReportsDeadLettersUrl: 'https://sqs/1/reports-dead' },
      service: { [ADMIN_OUTPUT]: adminOutput, ChecksQueueUrl: 'https://sqs/1/checks' },
    };
    const deployment = await deploymentOf({ outputs: outputsFile(stacks) }, {});
    const urls = { queue: 'https://sqs/1/reports', deadLetters: 'https://sqs/1/reports-dead' };
    expect(deployment?.queueUrls('reports')).toEqual(urls);
    expect(() => deployment?.queueUrls('checks')).toThrow('does not tell where the queue checks is');
    const unknown = await deploymentOf({ table: 'theirs' }, {});
    expect(() => unknown?.queueUrls('reports')).toThrow('is not known: give --outputs');
  });

  const output = { [ADMIN_OUTPUT]: adminOutput };

  test.each([
    ['no service stack', { data: { TableName: 'x' } }, `has no output ${ADMIN_OUTPUT}`],
    ['two deployments', { one: output, two: output }, 'more than one deployment'],
    ['the output of another version', { one: { [ADMIN_OUTPUT]: '{"TABLE_NAME":"x"}' } }, 'another version'],
    ['invalid JSON', { one: { [ADMIN_OUTPUT]: '{' } }, 'another version'],
    ['something other than outputs', ['x'], 'does not contain stack outputs'],
  ])('rejects a file with %s', async (_what, content, message) => {
    const refused = deploymentOf({ outputs: outputsFile(content) }, {});
    await expect(refused).rejects.toThrow(CommandError);
    await expect(refused).rejects.toThrow(message);
  });
});

const notKnown = (key: string) =>
  `the setting ${key} of the deployment is unknown: use --outputs, or set the environment variable`;
