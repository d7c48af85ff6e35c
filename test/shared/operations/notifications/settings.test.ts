/** How the API and the console change and test notification settings while others do, and how often tests are sent. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { unsubscribePath } from '../../../../shared/notify/unsubscribe.ts';
import { changeNotifications } from '../../../../shared/operations/notifications/change-notifications.ts';
import { testNotifications } from '../../../../shared/operations/notifications/test-notifications.ts';
import { unsubscribe } from '../../../../shared/operations/notifications/unsubscribe.ts';
import { operatorFor } from '../../../../shared/operations/operation.ts';
import { invalid } from '../../../../shared/operations/outcome.ts';
import { channelStore } from '../../../../shared/store/alerts/channels.ts';
import { deliveryStore } from '../../../../shared/store/alerts/deliveries.ts';
import { rateStore } from '../../../../shared/store/rates/rates.ts';
import { testCipher } from '../../../kit/cipher.ts';
import { done } from '../../../kit/operations.ts';
import { useTable } from '../../../kit/use-table.ts';

type Body = Parameters<typeof changeNotifications>[1];

const now = new Date('2026-03-01T06:00:00Z');
const mail = { address: 'ops@example.org', threshold: 'warning', digestHour: null } as const;
const webhook: NonNullable<Body['webhook']> = {
  ...{ url: 'https://hooks.example/in/t0ken', threshold: 'info', format: 'json', events: [] },
};

let organization: string;
const table = await useTable();
const channels = channelStore(table, testCipher);
beforeEach(() => {
  organization = crypto.randomUUID();
});

const change = (
  body: Body,
  notifications: Parameters<typeof changeNotifications>[2]['notifications'] = channels,
) =>
  changeNotifications(operatorFor(organization), body, {
    ...{ notifications, ownDomains: [], allowPrivateAddresses: false },
  });

/** The channels, which somebody else changes after they are read for the first time. */
function changedMeanwhile(by: () => Promise<unknown>) {
  let reads = 0;
  return {
    ...channels,
    async get(of: string) {
      const found = await channels.get(of);
      reads += 1;
      if (reads === 1) await by();
      return found;
    },
  };
}

describe('a change of settings', () => {
  test('is made to what somebody else stored meanwhile', async () => {
    const other = { ...webhook, url: 'https://other.example/in' };
    const meanwhile = changedMeanwhile(() => change({ mail, webhook: other }));
    const outcome = await change({ mail, webhook: null }, meanwhile);
    expect(await channels.get(organization)).toMatchObject({
      mail: { address: mail.address },
      webhook: null,
    });
    expect(outcome).toMatchObject({ version: '2' });
  });

  test('needs the whole URL of a webhook that was changed after it was read', async () => {
    await change({ mail, webhook });
    const origin = new URL(webhook.url).origin;
    const meanwhile = changedMeanwhile(() => change({ mail, webhook: { ...webhook, url: `${origin}/new` } }));
    const keeps = change({ mail, webhook: { ...webhook, url: origin } }, meanwhile);
    expect(await keeps).toEqual(
      invalid({
        path: 'webhook.url',
        message: 'must be the whole URL, because it was changed at the same time',
      }),
    );
  });
});

describe('a test', () => {
  const tests = (channel?: 'mail' | 'webhook') =>
    testNotifications(
      operatorFor(organization),
      { channel },
      {
        ...{ notifications: channels, deliveries: deliveryStore(table), rates: rateStore(table) },
        clock: { now: () => now },
      },
    );
  const channelsOf = async (sent: ReturnType<typeof tests>) => done(await sent).map(({ channel }) => channel);
  const off = invalid({ path: 'channel', message: 'is off: turn it on in the notification settings first' });

  test('is sent on the channels that are set', async () => {
    expect(await tests()).toEqual(off);
    await change({ mail: null, webhook });
    expect(await channelsOf(tests())).toEqual(['webhook']);
    expect(await tests('mail')).toEqual(off);
    await change({ mail, webhook });
    expect((await channelsOf(tests())).toSorted()).toEqual(['mail', 'webhook']);
  });

  test.each([
    ['both', undefined, 15],
    ['mail', 'mail', 30],
  ] as const)('counts for each channel, up to 30 in an hour: %s', async (_channels, channel, most) => {
    await change({ mail, webhook });
    for (let n = 0; n < most; n += 1) done(await tests(channel));
    expect(await tests(channel)).toMatchObject({ code: 'rate_limited' });
  });
});

test('the link in a digest turns it off, for the address that it was sent to', async () => {
  await change({ mail: { ...mail, digestHour: 6 }, webhook: null });
  let key = '';
  const follow = (address: string) => {
    const token = unsubscribePath(organization, key, address).split('/').at(-1) ?? '';
    return unsubscribe({ organization, token }, { notifications: channels });
  };
  const minute = async () => (await channels.get(organization)).mail?.digestMinute;
  expect(await follow(mail.address)).toMatchObject({ code: 'not_found' });
  key = await channels.makeUnsubscribeKey(organization);
  expect(await follow('other@example.org')).toMatchObject({ code: 'not_found' });
  expect(await minute()).toBeGreaterThanOrEqual(6 * 60);
  done(await follow(mail.address));
  expect(await minute()).toBeNull();
  await change({ mail: null, webhook: null });
  expect(await follow(mail.address)).toMatchObject({ code: 'not_found' });
});
