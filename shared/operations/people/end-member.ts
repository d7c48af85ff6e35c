import type { Clock } from '../../network/ports.ts';
import type { NotificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import type { Member } from '../../store/api-tokens.ts';
import type { MemberStore } from '../../store/members.ts';

export interface EndMemberDependencies {
  readonly members: Pick<MemberStore, 'remove'>;
  readonly notifications: Pick<NotificationSettingsStore, 'setMemberMail'>;
  readonly clock: Clock;
}

/**
 * Ends a membership, and the mails to the member. Returns false if somebody else changed it, or `other`, at that moment.
 * @param other Another admin, who has to remain one.
 */
export async function endMember(
  member: Member,
  other: Member | undefined,
  { members, notifications, clock }: EndMemberDependencies,
): Promise<boolean> {
  const endMails = () => notifications.setMemberMail(member.organization, member.id, null);
  // Before the rest, so that a crash leaves nobody who gets mails and is no member.
  await endMails();
  const isRemoved = await members.remove(member, other, clock.now());
  // And after it: until then, the person could ask for mails again.
  if (isRemoved) await endMails();
  return isRemoved;
}
