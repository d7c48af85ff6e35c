/** The fields of the forms of the console: how they are read and shown, what is wrong with them, and what fills them again. */
import { eachField } from '../../api/domain-fields.ts';
import type { ErrorDetail } from '../../api/error-table.ts';
import type { Flash } from '../../store/flashes.ts';
import { html, type Markup, visibleStart } from '../markup.ts';
import { type Choice, options } from '../select.ts';

interface Problems {
  readonly message: string;
  readonly problems?: readonly ErrorDetail[] | undefined;
}

interface Field {
  /** Of the element. */
  readonly id: string;
  /** The beginning of a sentence about it. */
  readonly name: string;
  /** Its path in a request of the API; by default its name in the form. */
  readonly path?: string;
}

type Fields = Readonly<Record<string, Field>>;

const commonNames = eachField(({ form }) => form?.name);

/** What the forms of mailboxes have in common beside the name. */
const ofMailbox: Fields = {
  refreshToken: { id: 'refresh-token', name: 'The refresh token', path: 'signIn.refreshToken' },
  secret: { id: 'secret', name: 'The password or secret', path: 'signIn' },
  folder: { id: 'folder', name: 'The folder' },
  after: { id: 'after', name: 'What happens to mails' },
  moveTo: { id: 'move-to', name: 'The folder to move mails to' },
  everyMinutes: { id: 'every', name: 'The time between two readings', path: 'everySeconds' },
};

/** @param prefix Of the IDs, which are unique on a page. */
const commonFields = (prefix: string): Fields => ({
  usageType: { id: `${prefix}-usage`, name: commonNames.usageType ?? '' },
  testEmailLocalPart: { id: `${prefix}-mailbox`, name: commonNames.testEmailLocalPart ?? '' },
  tags: { id: `${prefix}-tags`, name: commonNames.tags ?? '' },
});

/** By the name of the route that the form is sent to. */
const formFields = {
  addDomain: { domain: { id: 'domain', name: 'The domain' }, ...commonFields('one') },
  addDomains: { domains: { id: 'domains', name: 'The list' }, ...commonFields('many') },
  saveDomainSettings: {
    ...commonFields('edit'),
    dkimSelectors: { id: 'edit-selectors', name: commonNames.dkimSelectors ?? '' },
    badge: { id: 'badge', name: 'The badge' },
  },
  saveNotifications: {
    address: { id: 'address', name: 'The mail address', path: 'mail.address' },
    mailThreshold: { id: 'mail-threshold', name: 'The severity', path: 'mail.threshold' },
    digest: { id: 'digest', name: 'The digest', path: 'mail.digest' },
    digestWeekday: { id: 'digest-day', name: 'The day of the digest', path: 'mail.digestWeekday' },
    digestHour: { id: 'digest-hour', name: 'The hour of the digest', path: 'mail.digestHour' },
    digestTimeZone: { id: 'digest-zone', name: 'The time zone', path: 'mail.digestTimeZone' },
    url: { id: 'url', name: 'The webhook URL', path: 'webhook.url' },
    webhookThreshold: { id: 'webhook-threshold', name: 'The severity', path: 'webhook.threshold' },
    format: { id: 'format', name: 'The format', path: 'webhook.format' },
  },
  createTokenInConsole: {
    name: { id: 'name', name: 'The name' },
    scope: { id: 'scope', name: 'The scope' },
    expiresOn: { id: 'expires', name: 'The last day', path: 'expiresAt' },
    networks: { id: 'networks', name: 'Each network' },
  },
  changeMemberMail: {
    address: { id: 'own-address', name: 'Your mail address', path: 'mail.address' },
    threshold: { id: 'own-threshold', name: 'The severity', path: 'mail.threshold' },
    tags: { id: 'own-tags', name: 'Each tag', path: 'mail.tags' },
  },
  changePreferences: { signInNotice: { id: 'sign-in-notice', name: 'The notice' } },
  operateOrganizations: {
    name: { id: 'name', name: 'The name' },
    domains: { id: 'all', name: 'The number of domains' },
  },
  inviteInConsole: {
    mail: { id: 'mail', name: 'The mail address' },
    role: { id: 'role', name: 'The role' },
  },
  addMailboxInConsole: {
    name: { id: 'name', name: 'The name' },
    host: { id: 'host', name: 'The server' },
    security: { id: 'security', name: 'The encryption' },
    port: { id: 'port', name: 'The port' },
    user: { id: 'user', name: 'The user name' },
    provider: { id: 'add', name: 'The provider' },
    tenant: { id: 'tenant', name: 'The tenant', path: 'signIn.tokenUrl' },
    tokenUrl: { id: 'token-url', name: 'The token URL', path: 'signIn.tokenUrl' },
    clientId: { id: 'client-id', name: 'The client ID', path: 'signIn.clientId' },
    scope: { id: 'scope', name: 'The scope', path: 'signIn.scope' },
    ...ofMailbox,
  },
  changeMailboxInConsole: {
    name: { id: 'name', name: 'The name' },
    ...ofMailbox,
  },
  updateManyInConsole: {
    tag: { id: 'many-tag', name: 'The tag', path: 'addTag' },
    usageType: { id: 'many-usage', name: 'The usage' },
  },
  saveCompliance: {
    own: { id: 'own-profiles', name: 'The list of your own profiles' },
    follows: { id: 'followed', name: 'The list of followed profiles' },
  },
  saveView: { name: { id: 'view-name', name: 'The name' } },
  sendTestNotification: { channel: { id: 'notifications', name: 'The channel' } },
  putOffInConsole: {
    until: { id: 'put-off-until', name: 'The day' },
    note: { id: 'put-off-note', name: 'The note' },
  },
  decideForDomains: { status: { id: 'decision-for-all', name: 'The decision' } },
  decideOnSender: {
    status: { id: 'undone', name: 'The decision' },
    note: { id: 'sender-note', name: 'The note' },
  },
} as const satisfies Readonly<Record<string, Fields>>;

export type FormName = keyof typeof formFields;

/** Whether a form has fields that it is filled with again; the others have only buttons. */
export const hasFields = (form: string): boolean => Object.hasOwn(formFields, form);

const all: Readonly<Record<string, Fields>> = formFields;

type Typed = Flash['typed'];

/** The name of the field that a problem is about; undefined if it is about none, or the whole form. */
function fieldOf(form: string, path: string, typed: Typed): string | undefined {
  const found = Object.entries(all[form] ?? {}).flatMap(([name, field]) => {
    const own = field.path ?? name;
    return path === own || path.startsWith(`${own}.`) || path === name ? [name] : [];
  });
  // Fields of different providers can have the same path: a form has only those of one.
  return found.find((name) => (typed[name] ?? '') !== '') ?? found[0];
}

function sentence(form: string, { path, message }: ErrorDetail, typed: Typed = {}): string {
  const field = fieldOf(form, path, typed);
  const name = field === undefined ? undefined : all[form]?.[field]?.name;
  return `${name ?? 'The form'} ${message.replace(/^it /, '')}.`;
}

/** The first problem of what was refused, as a sentence. @param form The one whose fields it names. */
export const problemOf = ({ message, problems = [] }: Problems, form: FormName): string => {
  const [first] = problems;
  return first === undefined ? message : sentence(form, first);
};

/** The problems of a form as links to its fields, for the top of the page. */
export function problemLinks({ form, problems, typed }: Flash): readonly Markup[] {
  return problems.map((problem) => {
    const field = fieldOf(form, problem.path, typed);
    const id = field === undefined ? undefined : all[form]?.[field]?.id;
    const text = visibleStart(sentence(form, problem, typed), 400);
    return id === undefined ? text : html`<a href="#${id}">${text}</a>`;
  });
}

/** A form as it is shown: empty, or with what was entered and what is wrong with it. */
export interface FormState {
  /** Whether the form was sent and nothing was done. */
  readonly isSent: boolean;
  /** What a field is filled with. @param otherwise What it has before the form was sent. */
  readonly value: (field: string, otherwise?: string) => string;
  /** Whether a box is ticked. */
  readonly isChosen: (field: string, otherwise: boolean) => boolean;
  /** The attributes of a field by which browsers and screen readers know it. */
  readonly attributes: (field: string) => Markup;
  /** What is wrong with a field, beside it. */
  readonly problem: (field: string) => Markup;
  readonly id: (field: string) => string;
}

/**
 * @param now What the fields have before the form is sent.
 * @param action Where the form is sent, if a page has several of them. Only the one that was sent has IDs.
 */
export function formState(
  form: FormName,
  flash: Flash | undefined,
  now: Readonly<Record<string, string>> = {},
  action?: string,
): FormState {
  const fields: Fields = formFields[form];
  const isThis = flash?.form === form && (action === undefined || action === flash.action);
  const sent = isThis && flash.kind !== 'done' ? flash : undefined;
  const isNamed = action === undefined || sent !== undefined;
  const problemsOf = (name: string) =>
    (sent?.problems ?? []).filter(({ path }) => fieldOf(form, path, sent?.typed ?? {}) === name);
  const idOf = (name: string) => fields[name]?.id ?? name;
  return {
    isSent: sent !== undefined,
    id: idOf,
    value: (name, otherwise = '') => sent?.typed[name] ?? now[name] ?? otherwise,
    isChosen: (name, otherwise) => (sent === undefined ? otherwise : sent.typed[name] !== undefined),
    attributes: (name) =>
      html`${isNamed ? html`id="${idOf(name)}" ` : ''}name="${name}"${problemsOf(name).length === 0 ? '' : html` aria-invalid="true" aria-describedby="${idOf(name)}-problem"`}`,
    problem: (name) => {
      const found = problemsOf(name);
      if (found.length === 0) return html``;
      const said = found.map((problem) => sentence(form, problem, sent?.typed)).join(' ');
      return html`<p id="${idOf(name)}-problem" class="problem">${visibleStart(said, 400)}</p>`;
    },
  };
}

/** An element of a form with its label before it, and what is wrong with it after it. */
export const labelled = (form: FormState, name: string, label: string, element: Markup): Markup =>
  html`<label for="${form.id(name)}">${label}</label>
${element}
${form.problem(name)}`;

/** @param attributes Of the element, beside those that the form knows. @param now What it has before the form is sent. */
export function inputField(
  form: FormState,
  name: string,
  label: string,
  attributes: Markup,
  now?: string,
): Markup {
  const input = html`<input ${form.attributes(name)} value="${form.value(name, now)}" ${attributes}>`;
  return labelled(form, name, label, input);
}

export function selectField(
  form: FormState,
  name: string,
  label: string,
  choices: readonly Choice[],
  now?: string,
): Markup {
  const select = html`<select ${form.attributes(name)}>${options(choices, form.value(name, now))}</select>`;
  return labelled(form, name, label, select);
}

/** What a request of the API would contain in place of what was typed about a domain. */
export const readFields = (typed: object): Record<string, unknown> => {
  const texts = new Map<string, unknown>(Object.entries(typed));
  return eachField(({ form }, name) => {
    const text = texts.get(name);
    return typeof text === 'string' ? form?.read(text) : undefined;
  });
};
