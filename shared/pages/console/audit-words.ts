/** The actions of the audit log in words, by the names of the operations. */
export const auditWords: Readonly<Record<string, string>> = {
  changeNotifications: 'Changed the notifications',
  createDomain: 'Added the domain',
  createDomains: 'Added the domain, with others',
  createOrganization: 'Created the organization',
  createSignInLink: 'Made a sign-in link',
  createToken: 'Created the token',
  deleteDmarcReport: 'Deleted a DMARC report',
  deleteDomain: 'Deleted the domain',
  deleteShare: 'Deleted a saved result',
  deleteTlsReport: 'Deleted a TLS report',
  deleteToken: 'Revoked the token',
  endSessions: 'Ended sessions',
  getRawReportMail: 'Downloaded a report mail',
  importReports: 'Imported reports',
  limitOrganization: 'Changed the limits',
  markAlertRead: 'Marked an alert as read or unread',
  markAlertsRead: 'Marked alerts as read',
  putOffAttention: 'Put off what needs attention',
  redeliver: 'Sent a delivery again',
  redriveDeadLetters: 'Queued failed messages again',
  replayReportMail: 'Read a report mail again',
  replayReportMails: 'Read report mails again',
  runChecks: 'Checked the domain',
  testNotifications: 'Sent a test notification',
  unsubscribe: 'Turned the digest off',
  updateDomain: 'Changed the settings of the domain',
  updateEnforcement: 'Attested for enforcement',
  updateSender: 'Decided about a sender',
  verifyDomain: 'Verified the domain',
};

/** An action that another release recorded is shown by its name. */
export const actionInWords = (action: string): string =>
  Object.hasOwn(auditWords, action) ? (auditWords[action] ?? action) : action;
