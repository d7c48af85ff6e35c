import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openObjectStore } from '../../../../lib/local/stores/objects/object-store.ts';
import { openQueueStore } from '../../../../lib/local/stores/queues/queue-store.ts';
import { useFolder } from '../../../kit/use.ts';

const file = () => join(useFolder('kept'), 'file.sqlite');

test('a message that was received but not deleted becomes visible again when a new process recovers the file', () => {
  const path = file();
  const definition = { name: 'q', maxReceiveCount: 5, visibilityTimeoutSeconds: 600 };
  const before = openQueueStore(path, [definition]);
  before.send('q', 'done', 0);
  before.send('q', 'not done', 0);
  const [done] = before.receive(definition, 10, 600);
  before.delete('q', done?.receipt ?? '');
  before.send('q', 'later', 600);
  before.close();
  const after = openQueueStore(path, [definition]);
  after.recover();
  expect(after.receive(definition, 10, 600).map(({ body, receives }) => [body, receives])).toEqual([
    ['not done', 2],
  ]);
  after.close();
});

test('objects expire by the time of their last write', () => {
  const store = openObjectStore(file(), ['b']);
  const put = (key: string, modified: Date) =>
    store.put('b', { key, modified, size: 0, md5: '', crc32: 0, headers: {}, content: new Uint8Array() });
  put('old', new Date(1000));
  put('written again', new Date(1000));
  put('written again', new Date(3000));
  put('new', new Date(2000));
  store.expire(new Date(2000));
  const kept = ['old', 'new', 'written again'].filter((key) => store.head('b', key) !== undefined);
  expect(kept).toEqual(['new', 'written again']);
  store.close();
});
