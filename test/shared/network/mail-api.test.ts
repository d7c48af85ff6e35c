import { expect, test } from '@jest/globals';
import { fetchSome, forEachMail, mailApiClient } from '../../../shared/network/mail-api.ts';
import { fakeWeb } from '../../kit/web.ts';

const mails = Array.from({ length: 10 }, (_, n) => ({ id: `m${n}` }));
const root = 'https://mail.test/v1';

/** A client, and the requests that wait for their response. */
function clientOf(signal = new AbortController().signal) {
  const waiting: { readonly url: string; readonly answer: (httpStatus?: number) => void }[] = [];
  const caller = {
    async call({ url }: { readonly url: string }) {
      const httpStatus = await new Promise<number | undefined>((answer) => waiting.push({ url, answer }));
      const page = httpStatus === undefined ? {} : { httpStatus };
      return fakeWeb({ [url]: page }).get({ url, maxBytes: 1_000, timeoutMilliseconds: 1_000 });
    },
  };
  return { client: mailApiClient({ caller, root, token: 'secret', signal, codes: {} }), waiting };
}

const settled = () => new Promise(setImmediate);

test('four requests are under way at most, also while mails are fetched and others acknowledged', async () => {
  const { client, waiting } = clientOf();
  const fetching = async () => {
    let count = 0;
    for await (const _ of fetchSome(mails, 1_000, ({ id }) => client.bytes(`/get/${id}`))) count += 1;
    return count;
  };
  const fetched = fetching();
  const marked = forEachMail(mails, ({ id }) => client.bytes(`/mark/${id}`));
  const urls = new Set<string>();
  const counts = new Set<number>();
  for (let n = 0; n < 2 * mails.length; n += 1) {
    await settled();
    counts.add(waiting.length);
    const next = waiting.shift();
    urls.add(next?.url ?? '');
    next?.answer();
  }
  await marked;
  expect([await fetched, urls.size, Math.max(...counts)]).toEqual([10, 20, 4]);
});

test('after a failure, or the end, nothing goes on', async () => {
  const over = new AbortController();
  const { client, waiting } = clientOf(over.signal);
  let hasEnded = false;
  const marking = forEachMail(mails, ({ id }) => client.bytes(`/mark/${id}`)).finally(() => {
    hasEnded = true;
  });
  const failed = expect(marking).rejects.toThrow('mail.test');
  await settled();
  const late = expect(client.bytes('/late')).rejects.toThrow('it took too long');
  const [first, ...others] = waiting.splice(0);
  over.abort();
  first?.answer(500);
  await late;
  await settled();
  expect([waiting.length, others.length, hasEnded]).toEqual([0, 3, false]);
  for (const { answer } of others) answer();
  await failed;
  expect(waiting).toEqual([]);
});
