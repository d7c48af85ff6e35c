/** What operations on members and invitations need. */

import type { MemberMailDependencies } from '../../operations/people/change-member-mail.ts';
import type { InvitationDependencies } from '../../operations/people/create-invitation.ts';
import type { DeleteInvitationDependencies } from '../../operations/people/delete-invitation.ts';
import type { RemoveMemberDependencies } from '../../operations/people/remove-member.ts';
import { notificationSettingsStore } from '../../store/alerts/notification-settings.ts';
import { invitationStore } from '../../store/invitations.ts';
import { memberStore } from '../../store/members.ts';
import { organizationStore } from '../../store/organizations.ts';
import { rateStore } from '../../store/rates/rates.ts';
import { config, ownDomains } from '../config/config.ts';
import { mailSender } from './mail-sender.ts';
import { clock, table } from './services.ts';

export const memberDependencies = (): RemoveMemberDependencies & MemberDependencies => ({
  organizations: organizationStore(table()),
  members: memberStore(table()),
  notifications: notificationSettingsStore(table()),
  clock,
});

interface MemberDependencies {
  readonly organizations: ReturnType<typeof organizationStore>;
  readonly members: ReturnType<typeof memberStore>;
}

export function invitationDependencies(): InvitationDependencies {
  const { ALERT_SENDER, HOST_URL, OIDC_ISSUER } = config();
  return {
    organizations: organizationStore(table()),
    invitations: invitationStore(table()),
    rates: rateStore(table()),
    sendMail: ALERT_SENDER === '' ? undefined : mailSender(ALERT_SENDER),
    ownDomains: ownDomains(config()),
    hasProvider: OIDC_ISSUER !== '',
    hostUrl: HOST_URL,
    clock,
  };
}

export const memberMailDependencies = (): MemberMailDependencies => ({
  notifications: notificationSettingsStore(table()),
  ownDomains: ownDomains(config()),
});

export const deleteInvitationDependencies = (): DeleteInvitationDependencies => ({
  invitations: invitationStore(table()),
  clock,
});
