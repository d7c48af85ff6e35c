/** Requests of the pages about one domain in the console. */
import * as z from 'zod/mini';
import { senderIdPattern } from '../enforcement/sender-fields.ts';
import { senderStatus } from '../enforcement/shapes.ts';
import { domainPath, missing, paginationQuery } from './common.ts';
import { formToken } from './console.ts';
import { inOrder, period } from './report-queries.ts';

/** Optional, so that a form can change a part alone. What fields contain is checked as in a request of the API. */
const given = (most: number) => z.optional(z.string().check(z.maxLength(most, 'is too long')));

export const domainViews = ['history', 'dmarc', 'subdomains', 'enforcement', 'tls', 'report'] as const;

export const domainViewPath = z.object({
  ...domainPath.shape,
  view: z.enum(domainViews, missing.page),
});

/** The status of a sender in a form; `none` takes a decision back. */
const formStatus = z.enum([...senderStatus.options, 'none']);

const senderId = z.string().check(z.regex(senderIdPattern, missing.sender));

const record = z.optional(z.string().check(z.maxLength(4000, 'must not have more than 4000 characters')));

export const domainViewQuery = z
  .object({
    page: paginationQuery.shape.page,
    ...period,
    /** The sender that was just decided about, and its status before. */
    changed: z.optional(senderId),
    was: z.optional(formStatus),
    /** Records to simulate; empty for none. */
    dmarc: record,
    spf: record,
  })
  .check(inOrder);

/** The period of a page about a sender. */
export const senderViewQuery = z.object(period).check(inOrder);

export const senderForm = z.object({
  formToken,
  /** The page that the form is on, which it leads back to. */
  on: z._default(z.enum(['reports', 'sender']), 'reports'),
  /** Undefined: it stays as it is. */
  note: given(1000),
  sender: senderId,
  status: formStatus,
  startDate: z.iso.date(),
  endDate: z.iso.date(),
  page: paginationQuery.shape.page,
});

export const domainSettingsForm = z.object({
  formToken,
  usageType: given(40),
  testEmailLocalPart: given(64),
  /** Separated by commas. */
  tags: given(1100),
  /** Separated by commas or spaces. */
  dkimSelectors: given(1500),
  badge: z.optional(z.enum(['on', 'off'])),
});

/** What to ask about before it is done. */
export const askAboutDomainQuery = z.object({ about: z.enum(['delete', 'badge']) });

export const previewQuery = z.object({
  /** The id of a recommended change. */
  change: z.string().check(z.maxLength(400, 'is too long')),
});

export type DomainViewQuery = z.output<typeof domainViewQuery>;
