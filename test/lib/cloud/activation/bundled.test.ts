import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { activationHandler, bundle } from '../../../../lib/cloud/bundle.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'activation-'));
  await bundle([activationHandler], folder);
});

afterAll(() => rm(folder, { recursive: true }));

test('the bundled function calls SES, activates the rule set, and responds to CloudFormation', async () => {
  const seen: string[] = [];
  const aws = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push(
      request.method === 'PUT' ? JSON.parse(body).Status : (new URLSearchParams(body).get('Action') ?? ''),
    );
    response.end('<Response/>');
  });
  await new Promise<void>((resolve) => aws.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  const event = {
    RequestType: 'Create',
    ResponseURL: `${url}/answer`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Active',
    ResourceProperties: { ruleSetName: 'ours', takeOver: 'false', ownRules: [] },
  };
  const script = `
    const { handler } = await import(${JSON.stringify(join(folder, activationHandler, 'index.mjs'))});
    await handler(${JSON.stringify(event)});
    process.exit();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 30_000,
    env: {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_SES: url,
    },
  });
  aws.close();
  expect(seen).toEqual(['DescribeActiveReceiptRuleSet', 'SetActiveReceiptRuleSet', 'SUCCESS']);
});
