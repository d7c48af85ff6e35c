/** Compares the verdicts on the cases of `denial-cases.ts` with those of delv, which waits for itself in some of them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { semaphore } from '../../../../shared/network/semaphore.ts';
import { type Delv, startDelv } from '../../../kit/delv.ts';
import { questions, root } from './denial-cases.ts';
import { cases, describeWith, expected, lettersOf, nameIn, serve } from './denial-verdicts.ts';
import { differencesOf } from './judge-differences.ts';
import { anchorOf } from './signed-world.ts';

/** What delv judges: starting it for all questions would take twice as long. */
const asked: readonly string[] = ['_dmarc.@ TXT', '_25._tcp.mx.@ TLSA', 'alias.@ A', 'q.wild.@ TXT'];
const delvQuestions = questions.filter((question) => asked.includes(question.join(' ')));
/** Some unsigned proofs make delv wait for itself, for twelve seconds, before it rejects the answer. */
const AT_ONCE = 32;

test('delv judges at least 250 cases', () => {
  expect(cases.length * delvQuestions.length).toBeGreaterThanOrEqual(250);
});

describeWith('delv', () => {
  let delv: Delv;
  const theirs = new Map<string, Promise<string>>();
  beforeAll(async () => {
    const inTurn = semaphore(AT_ONCE);
    delv = await startDelv(anchorOf(root), serve);
    for (const { title, zone } of cases) {
      const judged = delvQuestions.map(([name, type]) => inTurn(() => delv.judge(nameIn(zone, name), type)));
      theirs.set(title, Promise.all(judged).then(lettersOf));
    }
  });
  afterAll(() => delv.stop());

  test.each(cases.map(({ title }) => title))('agrees: %s', async (title) => {
    const ours = delvQuestions.map((question) => expected[title]?.[questions.indexOf(question)]).join('');
    expect(await theirs.get(title)).toBe(differencesOf('delv 9.18')[title] ?? ours);
  });
});
