import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { type MemberMail, severities } from '../../alerts/notification.ts';
import { tag } from '../../api/domain-fields.ts';
import { parseRecipient } from '../../notify/recipient.ts';
import { oneLine } from '../../protocol/one-line.ts';
import { oneOf } from '../../protocol/schema.ts';
import type { NotificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { isMember } from '../../store/api-tokens.ts';
import { changesBetween } from '../changes.ts';
import type { CallerOf, InputOf, Operation, OutcomeOf } from '../operation.ts';
import { invalid, Refused } from '../outcome.ts';

const MAX_ADDRESS = 254;
const MAX_TAGS = 20;

export const operation = {
  name: 'changeMemberMail',
  summary: 'Choose which alerts of the organization are mailed to an address of your own',
  scope: 'read',
  /** `mail`: null turns it off. Without tags, about all domains. */
  input: z.object({
    mail: z.nullable(
      z.object({
        address: oneLine(MAX_ADDRESS),
        threshold: oneOf(severities),
        tags: z.array(tag).check(z.maxLength(MAX_TAGS, `must not have more than ${MAX_TAGS} tags`)),
      }),
    ),
  }),
  refusals: ['invalid_request', 'forbidden'],
  uses: ['organizations:write'],
} as const satisfies Operation;

export interface MemberMailDependencies {
  readonly notifications: Pick<NotificationSettingsStore, 'get' | 'setMemberMail'>;
  /** Domains whose mail the service receives. */
  readonly ownDomains: readonly string[];
}

export async function changeMemberMail(
  { organization, token }: CallerOf<typeof operation>,
  { mail: wanted }: InputOf<typeof operation>,
  { notifications, ownDomains }: MemberMailDependencies,
): Promise<OutcomeOf<typeof operation, MemberMail | null>> {
  if (token === null || !isMember(token))
    return new Refused('forbidden', 'Only members have notifications of their own.');
  const recipient = wanted && parseRecipient(wanted.address, ownDomains);
  if (recipient !== null && !recipient.ok)
    return invalid({ path: 'mail.address', message: recipient.problem });
  const mail = wanted &&
    recipient && { ...wanted, address: recipient.address, tags: [...new Set(wanted.tags)] };
  const before = (await notifications.get(organization)).people[token.id] ?? null;
  if (isDeepStrictEqual(before, mail)) return { value: mail };
  await notifications.setMemberMail(organization, token.id, mail);
  const subject = { id: token.id, name: token.name, changes: changesBetween(before, mail) };
  return { value: mail, subjects: [subject] };
}
