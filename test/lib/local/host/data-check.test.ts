import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { startDataCheck } from '../../../../lib/local/host/data-check.ts';
import { openObjectStore } from '../../../../lib/local/stores/objects/object-store.ts';
import { useFolder } from '../../../kit/use.ts';

let folder: string;
beforeEach(() => {
  folder = useFolder('checked');
  const objects = openObjectStore(join(folder, 'objects.sqlite'), ['b']);
  const facts = { modified: new Date(1000), size: 0, md5: '', crc32: 0, headers: {} };
  for (let key = 0; key < 200; key += 1)
    objects.put('b', { ...facts, key: `${key}`, content: new Uint8Array(2000) });
  objects.close();
});

test('a check that takes too long goes on, and finds damage later', async () => {
  const path = join(folder, 'objects.sqlite');
  const content = readFileSync(path);
  for (let at = 4096; at < content.length; at += 4096) content.fill(0xff, at, at + 8);
  writeFileSync(path, content);
  const check = startDataCheck(folder);
  expect([await check.within(0), check.state()]).toEqual([undefined, { status: 'running' }]);
  const damage = { file: 'objects.sqlite', problem: expect.stringMatching(/^is damaged: /) };
  expect(await check.ended).toMatchObject(damage);
  expect(check.state()).toMatchObject({ status: 'failing', ...damage });
  await check.stop();
});

test('files without damage, and files that are not there yet, are no problem', async () => {
  const check = startDataCheck(folder);
  expect([await check.ended, check.state()]).toEqual([undefined, { status: 'ok' }]);
});
