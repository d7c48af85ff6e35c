/** The text of the attention item about a step that loses approved mail, and the stored facts that it depends on. */

import * as z from 'zod/mini';
import { printable } from '../protocol/printable.ts';
import { formatNumber } from '../protocol/quantity.ts';
import { dayInWords } from '../protocol/time.ts';

const fates = z.object({ quarantine: z.number(), reject: z.number() });

export const stepFacts = z.object({
  /** The first day of the step, the policy of the step, and the one before. */
  day: z.string(),
  policy: z.string(),
  previous: z.string(),
  /** The days that were compared. */
  from: z.string(),
  to: z.string(),
  /** Senders that lose mail, most lost messages first; shares are percentages. */
  senders: z.array(
    z.object({
      name: z.string(),
      messages: z.number(),
      lost: z.number(),
      lostShare: z.number(),
      predictedShare: z.number(),
    }),
  ),
  others: z.number(),
  /** The record to publish. */
  record: z.string(),
  /** What the published record and that one ask receivers to do with the mail of these senders. */
  current: fates,
  proposed: fates,
});

export type StepFacts = z.infer<typeof stepFacts>;

interface Subject {
  readonly domain: string;
  readonly about: { readonly facts: unknown };
}

/** The maximum number of characters of a sender's name in a sentence. */
const MAX_NAME = 80;

export function stepTitle({ domain, about: { facts } }: Subject): string {
  const { data } = stepFacts.safeParse(facts);
  const step = data === undefined ? 'The last step' : `The step to p=${data.policy}`;
  return `${step} loses approved mail: ${domain}`;
}

export function stepDetail({ domain, about: { facts } }: Subject): string {
  const { data } = stepFacts.safeParse(facts);
  if (data === undefined) return 'More approved mail is quarantined or rejected than predicted.';
  const { day, policy, previous, from, to, senders, others, record, current, proposed } = data;
  const losing = senders.map(
    ({ name, messages, lost, lostShare, predictedShare }) =>
      `${formatNumber(lost)} of ${formatNumber(messages)} messages of ${printable(name, MAX_NAME)} (${lostShare} %, expected ${predictedShare} %)`,
  );
  const more = others > 0 ? [`messages of ${others} more senders`] : [];
  return [
    `Since p=${policy} was published, which reports show from ${dayInWords(day)} on, receivers quarantine or reject more mail of approved senders than the reports of the 30 days before predicted. From ${dayInWords(from)} to ${dayInWords(to)}: ${[...losing, ...more].join('; ')}.`,
    `To stop that, go back to the policy from before the step: publish "${record}" at _dmarc.${domain}, in place of the present DMARC record.`,
    `Replayed on the reports of these days, it asks receivers to reject ${proposed.reject} and to quarantine ${proposed.quarantine} of these messages, instead of ${current.reject} and ${current.quarantine}.`,
    `With p=${previous}, receivers also ${previous === 'none' ? 'deliver' : 'no longer reject'} forged mail that fails: have the senders sign with DKIM in the name of ${domain}, then repeat the step.`,
  ].join(' ');
}
