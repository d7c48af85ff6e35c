/** The settings that decide how mail leaves the service. */
interface MailSettings {
  readonly ALERT_SENDER: string;
  readonly MAIL_TRANSPORT: string;
}

/** One or two sentences about how mail leaves, for people who expect mail. */
export function describeMailTransport({ ALERT_SENDER, MAIL_TRANSPORT }: MailSettings): string {
  if (ALERT_SENDER === '')
    return 'Mail is not sent: the operator of the service has not set a sender address.';
  switch (MAIL_TRANSPORT) {
    case 'ses':
      return `Mail is sent from ${ALERT_SENDER} through Amazon SES.`;
    case 'outbox':
      return 'Mail is not sent: it is kept in the folder outbox of the service. The operator can set SMTP_RELAY to send it.';
    default:
      return `Mail is sent from ${ALERT_SENDER} through the relay ${MAIL_TRANSPORT}.`;
  }
}
