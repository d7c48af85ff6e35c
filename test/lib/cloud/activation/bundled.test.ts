import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { bundle } from '../../../../lib/cloud/bundle.ts';
import { activationHandler, watchHandler } from '../../../../lib/cloud/handlers.ts';
import { useFolder } from '../../../kit/use.ts';
import { type Answer, fakeAws, runAsLambda, sesAnswers } from './fake-aws.ts';

const folder = useFolder('activation');
await bundle([activationHandler, watchHandler], folder);

/**
 * Calls a bundled function in a process of its own. Returns the requests that it made, and the message with which it
 * failed, if it did. `eventFor` gets the URL to which CloudFormation wants the response.
 */
async function call(
  handler: string,
  eventFor: (url: string) => object,
  answer: Answer = { body: '<Response/>' },
) {
  const { seen, url, close } = await fakeAws([answer]);
  const failure = await runAsLambda(
    `const { handler } = await import(${JSON.stringify(join(folder, handler, 'index.mjs'))});
    const failure = await handler(${JSON.stringify(eventFor(url))}).then(() => null, ({ message }) => message);
    console.log(JSON.stringify(failure));
    process.exit();`,
    { AWS_ENDPOINT_URL_SES: url, RULE_SET_NAME: 'ours' },
  );
  close();
  const actions = seen.map(({ method, body }) =>
    method === 'PUT' ? JSON.parse(body).Status : new URLSearchParams(body).get('Action'),
  );
  return { seen: actions, failure };
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
  const { active, refused } = sesAnswers;

  test.each<[string, Answer, unknown]>([
    ['succeeds if ours is active', active('ours'), null],
    [
      'fails, and says what to do, if another one is active',
      active('theirs'),
      'The receipt rule set theirs is active instead of ours, so this deployment receives no mail. ' +
        'To change this, run: aws ses set-active-receipt-rule-set --rule-set-name ours',
    ],
    ['fails if none is active', active(undefined), expect.stringMatching(/^No receipt rule set is active, /)],
    ['fails if it may not ask', refused('AccessDenied', 'not authorized'), 'not authorized'],
  ])('%s', async (_title, answer, expected) => {
    const { seen, failure } = await call(watchHandler, () => ({}), answer);
    expect(failure).toEqual(expected);
    // It never changes anything.
    expect(seen).toEqual(['DescribeActiveReceiptRuleSet']);
  });
});
