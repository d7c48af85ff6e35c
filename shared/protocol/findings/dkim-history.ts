/** The rules of the DKIM check about what reports and earlier check runs say of a key. */
import { pluralize } from '../quantity.ts';
import { dayInWords } from '../time.ts';
import { type Rules, rule } from './finding.ts';

const LIFE_CYCLE = 'RFC 5863 section 3.5';

/** How many other domains with the same key are named. */
export const MAX_NAMED_DOMAINS = 5;

/** For how many days reports say how much a selector was used, and after how many without use nobody misses its key. */
export const USE_DAYS = 30;

interface UsedKeyGone {
  readonly selector: string;
  /** The last day with a signature that passed. */
  readonly day: string;
  /** With signatures that passed, of the last days. */
  readonly messages?: number;
  /** The last day with a signature that did not pass in mail that passed SPF, if it is later. */
  readonly failingUntil?: string;
}

interface Since {
  readonly selector: string;
  /** The day on which a check run first saw the key. */
  readonly since: string;
}

const retire = (selector: string, domain: string): string =>
  `remove the record at ${selector}._domainkey.${domain}, or publish it with an empty p tag`;

export const dkimHistoryRules = {
  'dkim-used-key-gone': rule<UsedKeyGone>({
    severity: 'warning',
    says: ({ selector, day, messages, failingUntil }) =>
      [
        messages === undefined
          ? `Reports of large receivers saw mail that was signed with selector ${selector} until ${dayInWords(day)}, and it has no key.`
          : `Reports of large receivers of the last ${USE_DAYS} days saw at least ${pluralize(messages, 'message')} signed with selector ${selector}, until ${dayInWords(day)}, and it has no key.`,
        failingUntil === undefined
          ? 'Mail that is still signed with it fails DKIM.'
          : `Mail from hosts that SPF authorizes was still signed with it on ${dayInWords(failingUntil)}, and these signatures failed.`,
      ].join(' '),
    ended: ({ selector }, added) =>
      added.some((record) => record.startsWith(`${selector}:`))
        ? `The key of selector ${selector} is back.`
        : `Selector ${selector} still has no key. Reports of large receivers of the last ${USE_DAYS} days saw no mail of the domain that was signed with it; mail that fails SPF, too, does not count, because anybody can forge its signature.`,
    cites: 'RFC 6376 section 6.1.2',
    fix: ({ selector }, { domain }) =>
      `Publish the key at ${selector}._domainkey.${domain} again, unless the service that used it signs with another selector now. Keep the key of a selector for a week after its last use, because mail is delayed.`,
    subject: 'selector',
  }),
  'dkim-key-unused': rule<Since & { lastUse: string }>({
    severity: 'notice',
    says: ({ selector, since, lastUse }) =>
      `No report of the last 90 days saw mail that was signed with selector ${selector}, whose key has been published since ${dayInWords(since)} or longer; the last use was on ${dayInWords(lastUse)}. Anyone with its private key can sign mail as your domain.`,
    cites: LIFE_CYCLE,
    fix: ({ selector }, { domain }) =>
      `Ask who signs with the selector, also once in a quarter or in an emergency. If nobody does, and it is not the next key of a rotation, ${retire(selector, domain)}.`,
    subject: 'selector',
  }),
  'dkim-key-old': rule<Since>({
    severity: 'notice',
    says: ({ selector, since }) =>
      `The key of selector ${selector} has been the same since ${dayInWords(since)} or longer, for more than two years. Everybody who had access to it since then can sign mail as your domain.`,
    cites: LIFE_CYCLE,
    fix: ({ selector }, { domain }) =>
      `Publish a new key at a new selector, let the service sign with that, and a week after the last use of ${selector}, ${retire(selector, domain)}.`,
    subject: 'selector',
  }),
  'dkim-test-forgotten': rule<Since>({
    severity: 'notice',
    says: ({ selector, since }) =>
      `The key of selector ${selector} has been in test mode (t=y) since ${dayInWords(since)} or longer.`,
    cites: 'RFC 6376 section 3.6.1',
    fix: ({ selector }, { domain }) =>
      `If the test is over, remove the y flag from the record at ${selector}._domainkey.${domain}. Mail signed with the key then counts as signed everywhere.`,
    subject: 'selector',
  }),
  'dkim-key-shared': rule<{ selector: string; domains: readonly string[] }>({
    severity: 'notice',
    says: ({ selector, domains }) =>
      `The key of selector ${selector} is also published by ${domains.join(', ')}${domains.length < MAX_NAMED_DOMAINS ? '' : ' and perhaps others'}. Anyone with its private key can sign mail as each of these domains.`,
    cites: 'RFC 5863 section 3',
    fix: ({ selector }, { domain }) =>
      `Give each domain a key of its own: publish a new key at a new selector, let the service sign with that, and a week after the last use of ${selector}, ${retire(selector, domain)}. If a service gave all its customers this key, ask it for one of your own.`,
    subject: 'selector',
  }),
} satisfies Rules;
