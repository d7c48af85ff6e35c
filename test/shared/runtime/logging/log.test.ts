import { afterEach, expect, jest, test } from '@jest/globals';
import { createLog } from '../../../../shared/runtime/logging/log.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('a logged error shows its causes and each error of a batch', () => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const denied = new Error('not authorized to perform: sqs:SendMessage');
  const batch = new AggregateError([denied, new Error('timeout')], '2 of 10 failed');
  createLog('info').error('failed', { error: new Error('sweep', { cause: batch }) });
  const line = JSON.parse(String(write.mock.calls[0]?.[0]));
  expect(line.error).toMatchObject({
    message: 'sweep',
    cause: {
      name: 'AggregateError',
      message: '2 of 10 failed',
      errors: [{ name: 'Error', message: denied.message }, { message: 'timeout' }],
    },
  });
});
