/** Requests of the pages about one domain in the console. */
import * as z from 'zod/mini';
import { senderIdPattern } from '../enforcement/sender-fields.ts';
import { senderStatus } from '../enforcement/shapes.ts';
import { oneOf } from '../protocol/schema.ts';
import { domainPath, missing, paginationQuery } from './common.ts';
import { field, formToken, idList, withBoxes } from './console.ts';
import { inOrder, period } from './report-queries.ts';

export const domainViews = [
  'history',
  'dmarc',
  'subdomains',
  'enforcement',
  'tls',
  'compliance',
  'report',
] as const;

export const domainViewPath = z.object({
  ...domainPath.shape,
  view: z.enum(domainViews, missing.page),
});

/** The status of a sender in a form; `none` takes a decision back. */
const formStatus = oneOf([...senderStatus.options, 'none']);

const senderId = z.string().check(z.regex(senderIdPattern, missing.sender));

/** A decision about a sender as a form has it. */
export interface FormDecision {
  readonly senderId: string;
  readonly status: z.output<typeof formStatus>;
}

/** In characters: 100 senders. */
const MOST_DECISIONS = 8000;

/** Decisions about senders, such as `provider-a:approved,network-b:none`. */
const decisionList = z.pipe(
  z.pipe(
    z.string('is required').check(z.maxLength(MOST_DECISIONS, 'is too long')),
    z.transform((given) =>
      given.split(',').map((one) => {
        const [id, status] = one.split(':');
        return { senderId: id, status };
      }),
    ),
  ),
  z.array(z.object({ senderId, status: formStatus })),
);

/** The same as text, for an address or a button. */
export const decisionText = (decisions: readonly FormDecision[]): string =>
  decisions.map((one) => `${one.senderId}:${one.status}`).join();

const record = z.optional(z.string().check(z.maxLength(4000, 'must not have more than 4000 characters')));

export const domainViewQuery = z
  .object({
    page: paginationQuery.shape.page,
    ...period,
    /** The time of the change with which the history begins; by default the newest. */
    until: z.optional(z.iso.datetime()),
    /** The senders that were just decided about, with what was decided before. */
    changed: z.optional(decisionList),
    /** Records to simulate; empty for none. */
    dmarc: record,
    spf: record,
    /** The compliance profile; by default the first one that is followed. */
    profile: field(44),
    /** The requirements as a file instead of the page. */
    format: z.optional(oneOf(['csv'])),
  })
  .check(inOrder);

/** The time of which a page says how a domain stood; by default, it says how it stands. */
export const standingQuery = z.object({
  at: z.optional(z.iso.datetime()),
  /** The signed evidence as a file, in place of the page. */
  as: z.optional(z.literal('evidence')),
});

/** The period of a page about a sender. */
export const senderViewQuery = z.object(period).check(inOrder);

/** The pages that a form about senders can be on, which it leads back to. */
const pagesWithSenders = z._default(oneOf(['reports', 'sender', 'enforcement']), 'reports');

/** Decides about senders: the same about those that are ticked, or as each button says. */
export const senderForm = withBoxes(
  z.object({
    formToken,
    on: pagesWithSenders,
    /** Undefined: it stays as it is. */
    note: field(1000),
    ids: idList(MOST_DECISIONS),
    /** About those. */
    status: z.optional(formStatus),
    /** In place of them. */
    decisions: z.optional(decisionList),
    startDate: z.optional(z.iso.date()),
    endDate: z.optional(z.iso.date()),
    page: paginationQuery.shape.page,
  }),
);

/** What a form decides about each sender. */
export const decisionsIn = ({
  decisions,
  ids,
  status,
}: Pick<z.output<typeof senderForm>, 'decisions' | 'ids' | 'status'>): readonly FormDecision[] =>
  decisions ?? (status === undefined ? [] : ids.map((senderId) => ({ senderId, status })));

/** What a form that did nothing would have decided; nothing if that cannot be read. */
export function decisionsTyped(typed: Readonly<Record<string, string>>): readonly FormDecision[] {
  const read = senderForm.safeParse({ ...typed, formToken: '' });
  return read.success ? decisionsIn(read.data) : [];
}

export const domainSettingsForm = z.object({
  formToken,
  usageType: field(40),
  testEmailLocalPart: field(64),
  /** Separated by commas. */
  tags: field(1100),
  /** Separated by commas or spaces. */
  dkimSelectors: field(1500),
  badge: z.optional(oneOf(['on', 'off'])),
});

/** What to ask about before it is done. */
export const askAboutDomainQuery = z.object({ about: oneOf(['delete', 'badge']) });

export const previewQuery = z.object({
  /** The id of a recommended change. */
  change: z.string('is required').check(z.maxLength(400, 'is too long')),
});

export type DomainViewQuery = z.output<typeof domainViewQuery>;
