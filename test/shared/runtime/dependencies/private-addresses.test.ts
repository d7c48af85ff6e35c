/** By default, the service connects to no private address, no matter who names it. */
import { expect, test } from '@jest/globals';
import { environmentSchema, readEnvironment } from '../../../../shared/runtime/config/config.ts';
import { createCheckContext } from '../../../../shared/runtime/dependencies/check-context.ts';
import { guardedDialer } from '../../../../shared/runtime/dependencies/guarded-dialer.ts';

test('neither webhooks and mailboxes nor checks reach a private address', async () => {
  const found = await guardedDialer().resolve('127.0.0.1', 443);
  expect(found).toMatchObject({ status: 'rejected', address: '127.0.0.1' });
  const { network } = createCheckContext(readEnvironment(environmentSchema, {}));
  const probe = { hostname: 'mx.example.org', address: '127.0.0.1', timeoutMilliseconds: 5_000 };
  expect(await network.smtp.probe(probe)).toMatchObject({ status: 'rejected', reason: 'address-not-public' });
});
