/** The text of attention items about DMARC reports, and the stored facts that it depends on. */

import * as z from 'zod/mini';
import { askedMailbox, silence, silenceOf, whereToLook } from '../alerts/report-silence.ts';
import { dayInWords } from '../protocol/time.ts';

/** What is known of an item about reports. */
interface Subject {
  readonly domain: string;
  readonly since: string;
  readonly about: { readonly facts: unknown };
}

export const stoppedFacts = z.extend(askedMailbox, {
  /** Those of single reporters, or the one of all of them. */
  silences: z.readonly(z.array(silence)),
});

/** The silences that a text describes; it counts the others. */
const MOST_DESCRIBED = 3;

export function stoppedTitle({ domain, about: { facts } }: Subject): string {
  const { data } = stoppedFacts.safeParse(facts);
  const [only, ...others] = data?.silences ?? [];
  return only === undefined || only.reporter === null || others.length > 0
    ? `DMARC reports about ${domain} stopped`
    : `DMARC reports of ${only.reporter} about ${domain} stopped`;
}

export function stoppedDetail({ since, about: { facts } }: Subject): string {
  const { data } = stoppedFacts.safeParse(facts);
  if (data === undefined) return `Reports stopped on ${dayInWords(since)}.`;
  const described = data.silences.slice(0, MOST_DESCRIBED).map(silenceOf);
  const others = data.silences.length - described.length;
  const more = others > 0 ? [`The reports of ${others} more reporters stopped, too.`] : [];
  return [...described, ...more, whereToLook(data)].join(' ');
}

export function neverCameDetail({ since, about: { facts } }: Subject): string {
  const { data } = askedMailbox.safeParse(facts);
  const came = `The DMARC record has asked for reports since ${dayInWords(since)}, and no authenticated one has come. If you have sent mail since then, reports are lost.`;
  return data === undefined ? came : `${came} ${whereToLook(data)}`;
}
