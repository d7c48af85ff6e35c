/** Requests of the console, apart from the pages about one domain. */
import * as z from 'zod/mini';
import { alertSeverity } from '../alerts/alert.ts';
import { attentionKind } from '../alerts/attention-kind.ts';
import { checkName, usageType } from '../checks/state.ts';
import { senderIdPattern } from '../enforcement/sender-fields.ts';
import { mailDomainIn } from '../protocol/domain-name.ts';
import { grade } from '../score/grade.ts';
import { listedPolicies } from '../store/domains/listed.ts';
import { listOrders } from '../store/domains/select-rows.ts';
import { senderStatuses } from '../store/enforcement/decisions.ts';
import { putOffDay, putOffNote } from './attention-requests.ts';
import {
  alertPath,
  deliveryPath,
  domainPath,
  flag,
  missing,
  optionalFlag,
  paginationQuery,
} from './common.ts';
import { tag } from './domain-fields.ts';

/** Optional: a query needs none, and a form can change a part alone. What it contains is checked as in a request of the API. */
export const field = (most: number) => z.optional(z.string().check(z.maxLength(most, 'is too long')));

/** A field of a form, without spaces around it; empty if it is missing. */
export const text = (most: number) =>
  z.prefault(z.string().check(z.trim(), z.maxLength(most, 'is too long')), '');

/** The secret of a one-time link. */
const link = field(200);

/** Why an attempt to sign in did nothing, or why somebody has to sign in again (`proof`). */
export const signInFailures = [
  ...(['link', 'token', 'address'] as const),
  ...(['unreachable', 'declined', 'refused', 'stale', 'invitation', 'nobody', 'proof'] as const),
] as const;

/** `failed`: why the last attempt did nothing. */
export const signInQuery = z.object({
  link,
  to: field(2000),
  failed: z.optional(z.enum(signInFailures)),
  /** Somebody signed out who may still be signed in at the identity provider. */
  left: z.optional(z.literal('true')),
});

/** An API token, or a one-time link. */
export const credential = z.object({ token: field(300), link });

/** `link`: that of an invitation; `fresh`: a new proof, even if the person is signed in at the provider. */
export const providerSignInQuery = z.object({
  link,
  to: field(2000),
  fresh: z.optional(z.literal('true')),
});

export const invitationQuery = z.object({ link });

export const signInForm = z.object({ ...credential.shape, to: field(2000) });

export const sessionsToEnd = z.object({
  /** The ID of a session, or `all`. */
  id: z.string('is required').check(z.regex(/^(?:all|[\w-]{1,64}#[\da-f]{64})$/, 'is not a session')),
});

/** Proves that a form is from a page of the session. */
export const formToken = z.string('is required');

/** An API token or a one-time link, where the session was started a while ago. */
export const proof = text(600);

/** A form has one field for each choice, because a field cannot be repeated. */
export const chosen = z.optional(z.literal('on'));

/** A form that has only a button. */
export const buttonForm = z.object({ formToken });

/** A field of a form that filters: empty if it filters nothing. */
const orAny = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.optional(
    z.pipe(
      z.transform((given) => (given === '' ? undefined : given)),
      z.optional(schema),
    ),
  );

/** What a list of domains shows, and in which order: by default the worst grade first. */
const domainSelection = {
  /** Also a pasted URL or mail address. */
  q: orAny(
    z.pipe(
      z.pipe(z.string().check(z.maxLength(1000, 'is too long')), z.transform(mailDomainIn)),
      z.string().check(z.trim(), z.toLowerCase(), z.maxLength(253, 'is too long')),
    ),
  ),
  tag: orAny(tag),
  usageType: orAny(usageType),
  grade: orAny(grade),
  verified: orAny(optionalFlag('Only domains that are verified, or only those that are not')),
  policy: orAny(z.enum([...listedPolicies, 'unknown'])),
  reports: orAny(optionalFlag('Only domains with DMARC reports of the last 30 days, or only those without')),
  sort: z._default(z.enum(listOrders), '-grade'),
};

/** What needs a person: the first items of each kind, or those of one kind. */
export const todayQuery = z.object({ kind: z.optional(attentionKind), page: paginationQuery.shape.page });

export const domainListQuery = z.object({ ...domainSelection, page: paginationQuery.shape.page });

export const domainFileQuery = z.object(domainSelection);

const alertFilter = {
  severity: z.optional(alertSeverity),
  domain: z.optional(domainPath.shape.id),
};

/** A page costs what all alerts up to its end cost. */
const MAX_ALERT_PAGE = 500;

export const alertListQuery = z
  .object({
    ...alertFilter,
    unread: flag('Only unread alerts'),
    each: flag('Each alert, instead of one for each cause'),
    page: paginationQuery.shape.page,
  })
  .check(
    z.refine(({ page }) => page <= MAX_ALERT_PAGE, {
      error: `must not exceed ${MAX_ALERT_PAGE}: narrow the list with a filter`,
      path: ['page'],
    }),
  );

/** What was sent in the last 30 days. */
export const deliveryListQuery = z.object({ page: paginationQuery.shape.page });

/** Part of the name of a domain, a sender or a page. */
export const searchQuery = z.object({
  q: z.prefault(z.string().check(z.trim(), z.maxLength(1000, 'is too long')), ''),
});

export const organizationSendersQuery = z.object({
  page: paginationQuery.shape.page,
  /** Part of the name. */
  q: orAny(z.string().check(z.trim(), z.toLowerCase(), z.maxLength(253, 'is too long'))),
  failing: flag('Only senders with messages that failed DMARC'),
});

/** The changes of all domains, newest first. */
export const changesQuery = z.object({
  q: domainSelection.q,
  check: orAny(checkName),
  score: orAny(z.enum(['fell', 'rose'])),
  days: z.pipe(
    z.optional(z.enum(['1', '7', '30', '90'])),
    z.transform((days) => Number(days ?? 7)),
  ),
  /** The time and domain of the entry after which the page begins. */
  before: z.optional(z.string().check(z.regex(/^[\d:.TZ-]{24}#[\w-]{1,64}$/, 'is not a position'))),
});

/** Marks what matches the filter as read, up to the newest alert that the page showed. */
export const alertsToMark = z.object({ ...alertFilter, newest: alertPath.shape.id });

export const markAlertsForm = z.object({ formToken, ...alertsToMark.shape });

export const redeliverForm = z.object({ formToken, id: deliveryPath.shape.id });

/** Puts an attention item off; without a day, takes that back. */
export const putOffForm = z.object({
  formToken,
  until: orAny(putOffDay),
  note: orAny(putOffNote),
  /** The page to return to; by default that of the domain. */
  from: z.optional(z.enum(['today'])),
});

/** What was not done in a step of a long form, and why. */
export interface Failure {
  readonly typed: string;
  readonly problem: string;
}

/** In characters; the failures of a form about 1,000 domains. */
const MOST_FAILURES = 300_000;

/** The failures of the steps before, as the page of a step keeps them for the next one: a line each. */
export const failureText = (failures: readonly Failure[]): string =>
  failures
    .map(({ typed, problem }) => `${typed.replaceAll(/\s+/g, ' ')}\t${problem.replaceAll(/\s+/g, ' ')}`)
    .join('\n')
    .slice(0, MOST_FAILURES);

const failed = z.pipe(
  text(MOST_FAILURES),
  z.transform((given): readonly Failure[] =>
    given.split(/\r?\n/).flatMap((line) => {
      const [typed = '', problem = ''] = line.split('\t');
      return typed === '' ? [] : [{ typed, problem }];
    }),
  ),
);

/** What the fields contain is checked as in a request of the API. */
const newDomainFields = {
  usageType: text(40),
  testEmailLocalPart: text(64),
  /** Separated by commas. */
  tags: text(1100),
};

export const addDomainForm = z.object({ formToken, domain: text(1000), ...newDomainFields });

/** In characters: about 80,000 names, and a third of what a request can have. */
const MOST_LISTED = 2_000_000;

/** Names, one per line or separated by commas; the other fields are the same for all of them. */
export const addDomainsForm = z.object({ formToken, domains: text(MOST_LISTED), failed, ...newDomainFields });

/** IDs, separated by commas. */
export const idList = (most: number) =>
  z.pipe(
    text(most),
    z.transform((given) => given.split(',').filter((id) => id !== '')),
  );

/** How the names of the boxes of a table begin, before the ID of the row. */
const BOX = 'on_';

/** The name of the box that selects a domain or a sender. */
export const boxOf = (id: string): string => `${BOX}${id}`;

/** A box of a form. */
const ticked = z.pipe(
  chosen,
  z.transform((given) => given === 'on'),
);

/** The domains that a form selected: boxes named `on_<id>`, IDs separated by commas, or all of a list. */
const manyFields = {
  formToken,
  ids: idList(40_000),
  /** Instead of those. */
  all: ticked,
  /** The query of the list that the form was on. */
  list: text(2000),
  failed,
};

/** The IDs of the boxes that are ticked in a form. */
export const tickedBoxes = (typed: Readonly<Record<string, string>>): string[] =>
  Object.keys(typed).flatMap((name) => (name.startsWith(BOX) ? [name.slice(BOX.length)] : []));

/** The boxes that are ticked in a form of many fields, besides its other fields. */
export const withBoxes = <Schema extends z.ZodMiniType>(fields: Schema) =>
  z.pipe(
    z.transform((given: Readonly<Record<string, string>>): unknown => ({
      ...given,
      ids: [given.ids ?? '', ...tickedBoxes(given)].filter((one) => one !== '').join(),
    })),
    fields,
  );

export const manyDomainsForm = withBoxes(z.object(manyFields));

export const updateDomainsForm = withBoxes(
  z.object({
    ...manyFields,
    tag: text(50),
    usageType: text(40),
    do: z.enum(['tag', 'untag', 'usage', 'zone', 'csv']),
    /** The reader answered the question whether the usage is to be replaced. */
    sure: ticked,
  }),
);

/** Ownership records: of some domains, or of all that match a filter. */
export const ownershipQuery = z.object({
  ...domainSelection,
  ids: idList(4000),
  format: z.enum(['zone', 'csv']),
});

export const organizationSenderPath = z.object({
  senderId: z.string().check(z.regex(senderIdPattern, missing.sender)),
});

/** Decides about a sender for the domains that it sends as. */
export const decideForDomainsForm = z.object({
  formToken,
  /** `none` takes decisions back. */
  status: z.enum([...senderStatuses, 'none'], 'must be chosen'),
  replaces: ticked,
  /** Those that were left; by default all. */
  ids: idList(40_000),
  failed,
});

export const saveViewForm = z.object({
  formToken,
  name: text(60),
  query: text(2000),
  do: z.optional(z.enum(['remove'])),
});
