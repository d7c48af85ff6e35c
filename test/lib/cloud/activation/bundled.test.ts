import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { bundle } from '../../../../lib/cloud/bundle.ts';
import { activationHandler, watchHandler } from '../../../../lib/cloud/handlers.ts';
import { useFolder } from '../../../kit/use.ts';

const folder = useFolder('activation');
await bundle([activationHandler, watchHandler], folder);

/** What SES answers to every request; by default, that no rule set is active. */
interface Answer {
  readonly status?: number;
  readonly body?: string;
}

/**
 * Calls a bundled function in a process of its own. Returns the requests that it made, and the message with which it
 * failed, if it did. `eventFor` gets the URL to which CloudFormation wants the response.
 */
async function call(
  handler: string,
  eventFor: (url: string) => object,
  { status = 200, body = '<Response/>' }: Answer = {},
) {
  const seen: string[] = [];
  const aws = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    seen.push(
      request.method === 'PUT' ? JSON.parse(text).Status : (new URLSearchParams(text).get('Action') ?? ''),
    );
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => aws.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  const script = `
    const { handler } = await import(${JSON.stringify(join(folder, handler, 'index.mjs'))});
    const failure = await handler(${JSON.stringify(eventFor(url))}).then(() => null, ({ message }) => message);
    console.log(JSON.stringify(failure));
    process.exit();`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    timeout: 30_000,
    env: {
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_SES: url,
      RULE_SET_NAME: 'ours',
    },
  });
  aws.close();
  return { seen, failure: JSON.parse(stdout) };
}

test('the bundled function calls SES, activates the rule set, and responds to CloudFormation', async () => {
  const { seen, failure } = await call(activationHandler, (url) => ({
    RequestType: 'Create',
    ResponseURL: `${url}/answer`,
    StackId: 'stack',
    RequestId: 'request',
    LogicalResourceId: 'Active',
    ResourceProperties: { ruleSetName: 'ours', takeOver: 'false', ownRules: [] },
  }));
  expect(failure).toBeNull();
  expect(seen).toEqual(['DescribeActiveReceiptRuleSet', 'SetActiveReceiptRuleSet', 'SUCCESS']);
});

describe('the bundled check of the rule set', () => {
  const active = (name: string) => ({
    body: `<DescribeActiveReceiptRuleSetResponse><DescribeActiveReceiptRuleSetResult><Metadata><Name>${name}</Name></Metadata></DescribeActiveReceiptRuleSetResult></DescribeActiveReceiptRuleSetResponse>`,
  });
  const denied = {
    status: 403,
    body: '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not authorized</Message></Error></ErrorResponse>',
  };

  test.each<[string, Answer, unknown]>([
    ['succeeds if ours is active', active('ours'), null],
    [
      'fails, and says what to do, if another one is active',
      active('theirs'),
      'The receipt rule set theirs is active instead of ours, so this deployment receives no mail. ' +
        'To change this, run: aws ses set-active-receipt-rule-set --rule-set-name ours',
    ],
    ['fails if none is active', {}, expect.stringMatching(/^No receipt rule set is active, /)],
    ['fails if it may not ask', denied, 'not authorized'],
  ])('%s', async (_title, answer, expected) => {
    const { seen, failure } = await call(watchHandler, () => ({}), answer);
    expect(failure).toEqual(expected);
    // It never changes anything.
    expect(seen).toEqual(['DescribeActiveReceiptRuleSet']);
  });
});
