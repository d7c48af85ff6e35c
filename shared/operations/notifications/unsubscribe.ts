import * as z from 'zod/mini';
import type { MailSettings } from '../../alerts/notification.ts';
import { missing } from '../../api/common.ts';
import { isUnsubscribeToken } from '../../notify/unsubscribe.ts';
import type { NotificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import type { InputOf, Operation, OutcomeOf } from '../operation.ts';
import { Refused } from '../outcome.ts';

/** 256 bits in base64url. */
const TOKEN = /^[\w-]{43}$/;

/** The link in a digest is enough to turn it off; the caller needs no token. */
export const operation = {
  name: 'unsubscribe',
  summary: 'Turn a digest off, with the link in it (RFC 8058)',
  scope: 'read',
  on: z.object({
    organization: z.string().check(z.maxLength(64, missing.unsubscribe)),
    token: z.string().check(z.regex(TOKEN, missing.unsubscribe)),
  }),
  refusals: ['not_found'],
  uses: ['organizations:renew'],
} as const satisfies Operation;

type Link = InputOf<typeof operation>;

export interface UnsubscribeDependencies {
  readonly notifications: Pick<NotificationSettingsStore, 'get' | 'turnDigestOff'>;
}

export async function unsubscribe(
  link: Link,
  { notifications }: UnsubscribeDependencies,
): Promise<OutcomeOf<typeof operation, MailSettings>> {
  const outcome = await linkedMail(link, { notifications });
  if (outcome instanceof Refused) return outcome;
  await notifications.turnDigestOff(link.organization, outcome.value.address);
  return { value: { ...outcome.value, digestMinute: null } };
}

/** The mail settings that a link is for. */
export async function linkedMail(
  { organization, token }: Link,
  { notifications }: { readonly notifications: Pick<NotificationSettingsStore, 'get'> },
): Promise<OutcomeOf<typeof operation, MailSettings>> {
  const { mail, unsubscribeKey } = await notifications.get(organization);
  if (mail === null || unsubscribeKey === null || !isUnsubscribeToken(token, unsubscribeKey, mail.address))
    return new Refused('not_found', missing.unsubscribe);
  return { value: mail };
}
