/** Mailboxes elsewhere: who reads one, until when, and what a change of its settings takes away. */
import { expect, test } from '@jest/globals';
import {
  fetchedMailboxStore,
  type Mailbox,
  mailboxSecretStore,
  type RunEnd,
  removeMailbox,
} from '../../../shared/store/fetched-mailboxes.ts';
import { DUE_SHARDS } from '../../../shared/store/keys.ts';
import { testCipher } from '../../kit/cipher.ts';
import { addMailbox } from '../../kit/mailbox-runs.ts';
import { useTable } from '../../kit/use-table.ts';

const now = new Date('2026-03-01T10:00:00.000Z');
const later = (milliseconds: number) => new Date(now.getTime() + milliseconds);
const DAY = 86_400_000;

const table = await useTable();
const mailboxes = fetchedMailboxStore(table);
const secrets = mailboxSecretStore(table, testCipher);

const added = (signIn?: Mailbox['signIn']) => addMailbox(table, crypto.randomUUID(), now, signIn);
const claim = (mailbox: Mailbox, at = now, seconds = 60) => mailboxes.claim(mailbox, at, seconds);
const isClaimed = async (...given: Parameters<typeof claim>) => (await claim(...given)) !== undefined;
function change(mailbox: Mailbox, given: Partial<Mailbox> = {}, at = now) {
  const { name, signIn, folder, after, moveTo, everySeconds, paused } = { ...mailbox, ...given };
  const wanted = { name, signIn, folder, after, moveTo, everySeconds, paused };
  return secrets.change(mailbox, wanted, undefined, at);
}
/** Whether one of the shards has the mailbox. */
async function isIn(find: typeof mailboxes.due, { id }: Mailbox, at: Date): Promise<boolean> {
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => find(shard, at, 100));
  return (await Promise.all(shards)).flat().some((one) => one.id === id);
}

test('one worker has a mailbox, until its lease ends or a right clock cannot have made it', async () => {
  const mailbox = await added();
  const lease = await claim(mailbox);
  expect(lease?.mailbox).toEqual(mailbox);
  expect([await isClaimed(mailbox, later(60_000)), await isClaimed(mailbox, later(60_001))]).toEqual([
    false,
    true,
  ]);
  if (lease === undefined) throw new Error('not claimed');
  const read = { position: { uidValidity: '1', uid: 7 }, read: 1, accepted: 1 };
  const end = { now, next: later(1000), remaining: 0 };
  expect([await mailboxes.advance(lease, read), await mailboxes.release(lease)]).toEqual([false, false]);
  expect(await mailboxes.finish(lease, end)).toBe(false);
  expect(await mailboxes.get(mailbox)).toEqual(mailbox);
  const other = await added();
  // Ten minutes, and one by which clocks differ.
  expect([
    await isClaimed(other, now, 660),
    await isClaimed(other),
    await isClaimed(other, later(-1)),
  ]).toEqual([true, false, true]);
  expect(await removeMailbox(table, other, [])).toBe(true);
  expect([await isClaimed(other, later(DAY)), await removeMailbox(table, other, [])]).toEqual([false, false]);
});

test('a paused mailbox is not due, and read only where somebody wants it', async () => {
  const mailbox = await added();
  expect(mailbox.paused).toBe(false);
  expect([await isIn(mailboxes.due, mailbox, later(-1)), await isIn(mailboxes.due, mailbox, now)]).toEqual([
    false,
    true,
  ]);
  const paused = await change(mailbox, { paused: true }, later(1));
  if (paused === undefined) throw new Error('not changed');
  expect(await isIn(mailboxes.due, mailbox, later(DAY))).toBe(false);
  expect(await claim(paused)).toBeUndefined();
  const lease = await mailboxes.claim(paused, now, 60, { evenPaused: true });
  expect(lease?.mailbox.paused).toBe(true);
  const again = await change(paused, { paused: false }, later(2));
  expect([
    await isIn(mailboxes.due, mailbox, later(1)),
    await isIn(mailboxes.due, mailbox, later(2)),
  ]).toEqual([false, true]);
  // The run that was under way lost it.
  expect(again && (await isClaimed(again))).toBe(true);
});

const position = { uidValidity: '1', uid: 7 };

test('how runs end is stored, with since when every one has failed', async () => {
  const mailbox = await added();
  const run = async (at: number, how: object) => {
    const lease = await claim(mailbox, later(at));
    if (lease === undefined) throw new Error('not claimed');
    await mailboxes.advance(lease, { position, read: 3, accepted: 2 });
    await mailboxes.finish(lease, { now: later(at), next: later(DAY), ...how } as RunEnd);
    return mailboxes.get(mailbox);
  };
  const failed = { error: { code: 'refused', message: 'No.' }, withheld: { mail: now.toISOString() } };
  expect(await run(0, failed)).toMatchObject({ position, read: 3, accepted: 2, lastError: failed.error });
  const { withheld } = failed;
  expect(await run(1, failed)).toMatchObject({ failingSince: now.toISOString(), withheld });
  const whole = { remaining: 4, lastError: null, failingSince: null, withheld: {} };
  expect(await run(2, { remaining: 4 })).toMatchObject({ ...whole, lastRunAt: later(2).toISOString() });
});

test('a change is made once, later than the one before, and leaves the position only in the same folder', async () => {
  const mailbox = await added();
  const lease = await claim(mailbox);
  await (lease && mailboxes.advance(lease, { position, read: 0, accepted: 0 }));
  const read = (await mailboxes.get(mailbox)) ?? mailbox;
  const named = await change(read, { name: 'Other' });
  expect(named).toEqual(await mailboxes.get(mailbox));
  const at = now.toISOString();
  expect(named).toMatchObject({ name: 'Other', position, changedAt: at, gsi1sk: at });
  expect(await change(read, { name: 'Late' })).toBeUndefined();
  const moved = named && (await change(named, { folder: 'Other' }));
  expect(moved).toEqual(await mailboxes.get(mailbox));
  expect(moved).toMatchObject({ position: null, changedAt: later(1).toISOString() });
});

test('a refresh token is left alone for 20 s after a run lost its mailbox', async () => {
  const token = { tokenUrl: 'https://login.example/token', clientId: 'c', scope: '' };
  const mailbox = await added({ kind: 'oauth2-refresh-token', ...token });
  await claim(mailbox);
  await mailboxes.dueNow(mailbox, true, now);
  expect([await isClaimed(mailbox, later(20_000)), await isClaimed(mailbox, later(20_001))]).toEqual([
    false,
    true,
  ]);
  await mailboxes.dueNow(mailbox, false, later(20_002));
  expect(await isClaimed(mailbox, later(20_003))).toBe(false);
});

test('what a wrong clock planned more than a day ahead is found, and planned again once', async () => {
  const mailbox = await added();
  const due = { ...mailbox, gsi1sk: mailbox.gsi1sk };
  expect(await mailboxes.postpone(due, later(DAY + 60_000))).toBe(true);
  expect(await mailboxes.postpone(due, now)).toBe(false);
  expect(await isIn(mailboxes.tooFarAhead, mailbox, now)).toBe(false);
  expect(await isIn(mailboxes.tooFarAhead, mailbox, later(-1))).toBe(true);
});

test('a secret is replaced unless it was changed meanwhile', async () => {
  const mailbox = await added();
  await secrets.replace(mailbox, { secret: 'second' });
  await secrets.replace(mailbox, { secret: 'late' });
  const found = await mailboxes.get(mailbox);
  expect(found && (await secrets.secretOf(found))).toEqual({ secret: 'second' });
  expect(await change(mailbox)).toBeUndefined();
});
