/** The schemas that the OpenAPI document defines once, by name; generated clients use the names for their types. */
import * as z from 'zod/mini';
import * as alerts from '../alerts/alert.ts';
import { attentionKind } from '../alerts/attention-kind.ts';
import { event, eventName } from '../alerts/event.ts';
import { channel } from '../alerts/notification.ts';
import { shownChange } from '../alerts/shown-change.ts';
import { tokenScope } from '../alerts/token-scope.ts';
import { alertGrouping } from '../api/alerts.ts';
import { attention } from '../api/attention.ts';
import { auditChange, auditEntry } from '../api/audit.ts';
import { checkRun, score, shownResults } from '../api/checks.ts';
import { listMeta, paginationMeta } from '../api/common.ts';
import * as compliance from '../api/compliance.ts';
import { createdDelivery, delivery, deliveryKind, deliveryStatus } from '../api/deliveries.ts';
import { domainCheckBody } from '../api/domain-check-requests.ts';
import { domainCheckResult } from '../api/domain-checker.ts';
import * as domains from '../api/domains.ts';
import { attestationsBody, senderFilter, simulationBody, updateSenderBody } from '../api/enforcement.ts';
import { error, errorBody, errorCode, errorDetail } from '../api/errors.ts';
import * as fixes from '../api/fixes.ts';
import * as mailTests from '../api/mail-tests.ts';
import { signInKind } from '../api/mailbox-sign-in.ts';
import * as mailboxes from '../api/mailboxes.ts';
import * as members from '../api/members.ts';
import * as notificationSettings from '../api/notification-settings.ts';
import { notificationKind, webhookBody } from '../api/notifications.ts';
import { mailOutcomeKind, reportMail } from '../api/report-mails.ts';
import { dispositionCounts, dmarcSource, dmarcTimeline, timelineDay } from '../api/report-sources.ts';
import * as reports from '../api/reports.ts';
import { spfCheckBody } from '../api/spf-check-requests.ts';
import { spfCheckResult } from '../api/spf-checker.ts';
import { createdToken, createTokenBody, token } from '../api/tokens.ts';
import { dmarcPolicy } from '../checks/dmarc/result.ts';
import { dsRecord } from '../checks/dnssec/result.ts';
import { emailReceptionCapability, mxHost, mxRecord } from '../checks/mx/result.ts';
import { checkName, checkState, isCheckName, usageType } from '../checks/state.ts';
import { ownProfile, requirementScope } from '../compliance/own-profile.ts';
import { complianceStatus, coverage, level, requirementStatus } from '../compliance/shapes.ts';
import { senderKind } from '../enforcement/sender-fields.ts';
import * as enforcement from '../enforcement/shapes.ts';
import { describedFinding, severity } from '../protocol/findings/finding.ts';
import * as spf from '../protocol/spf/expansion.ts';
import { specification } from '../reports/report.ts';
import { grade } from '../score/grade.ts';
import { componentName, scoreComponent, scoreLabel } from '../score/shapes.ts';
import { checksEntry, scoreEntry } from '../store/check-runs/history.ts';

const { dkim, ...checkResults } = shownResults.shape;

/** Such as `DnsChangeAlert`, `MtaStsResult` and `TokenCreatedEvent`. */
const schemaName = (name: string, kind: string) =>
  `${`_${name}`.replace(/[_.]([a-z])/g, (_, letter: string) => letter.toUpperCase())}${kind}`;

const resultSchemas = Object.fromEntries(
  Object.entries(checkResults)
    .filter(([name]) => isCheckName(name))
    .map(([name, schema]) => [schemaName(name, 'Result'), schema]),
);

const alertSchemas = Object.fromEntries(
  Object.entries(alerts.alertTypes).map(([type, { stored }]) => [schemaName(type, 'Alert'), stored]),
);

const eventSchemas = Object.fromEntries(
  event.def.options.map((option) => [schemaName(String(option.shape.type.def.values[0]), 'Event'), option]),
);

const named: Readonly<Record<string, z.ZodMiniType>> = {
  AdviceState: mailTests.adviceState,
  AdviceTopic: mailTests.adviceTopic,
  Alert: alerts.alert,
  AlertCause: alerts.sameCause,
  ...alertSchemas,
  ...eventSchemas,
  AlertGrouping: alertGrouping,
  AlertSeverity: alerts.alertSeverity,
  AlignmentMode: mailTests.alignmentMode,
  AttentionItem: attention,
  Compliance: compliance.compliance,
  ComplianceSettings: compliance.complianceSettings,
  ComplianceSettingsBody: compliance.complianceSettingsBody,
  ProfileStatus: complianceStatus,
  ListedCompliance: compliance.listedCompliance,
  OrganizationCompliance: compliance.organizationCompliance,
  OwnComplianceProfile: ownProfile,
  RequirementCoverage: coverage,
  RequirementLevel: level,
  RequirementScope: requirementScope,
  RequirementStatus: requirementStatus,
  AfterStoring: mailboxes.afterStoring,
  AttentionKind: attentionKind,
  Mailbox: mailboxes.mailbox,
  MailboxBody: mailboxes.mailboxBody,
  MailboxProblem: mailboxes.mailboxProblem,
  MailboxProblemCode: mailboxes.mailboxProblemCode,
  MailboxReach: mailboxes.mailboxReach,
  MailboxReachStatus: mailboxes.mailboxReachStatus,
  MailboxSecurity: mailboxes.mailboxSecurity,
  MailboxSignInKind: signInKind,
  MailboxSource: mailboxes.mailboxSource,
  MailboxState: mailboxes.mailboxState,
  Attestation: enforcement.attestation,
  Attestations: attestationsBody,
  AuditChange: auditChange,
  AuditEntry: auditEntry,
  BatchOutcome: domains.batchOutcome,
  BlocklistName: mailTests.blocklistName,
  BlocklistProblem: mailTests.blocklistProblem,
  BlocklistResult: mailTests.blocklistResult,
  BrokenRule: mailTests.brokenRule,
  BulkReceiver: mailTests.bulkReceiver,
  ChangedNotificationSettings: notificationSettings.changedNotifications,
  ChangeReason: enforcement.changeReason,
  Channel: channel,
  CheckChange: shownChange,
  CheckName: checkName,
  CheckResults: shownResults,
  ...resultSchemas,
  CheckRun: checkRun,
  ChecksHistoryEntry: checksEntry,
  CheckState: checkState,
  CompletedTest: mailTests.completedTest,
  CreatedDelivery: createdDelivery,
  CreatedDomain: domains.createdDomain,
  CreatedInvitation: members.createdInvitation,
  CreatedToken: createdToken,
  DateStatus: mailTests.dateStatus,
  Deleted: domains.deleted,
  Delivery: delivery,
  DeliveryKind: deliveryKind,
  DeliveryStatus: deliveryStatus,
  DispositionCounts: dispositionCounts,
  Dispositions: enforcement.dispositions,
  DkimResult: dkim.def.innerType.def.element,
  DmarcPolicy: dmarcPolicy,
  DmarcReason: mailTests.dmarcReason,
  DmarcRecord: reports.dmarcRecord,
  DmarcReport: reports.dmarcReports.shape.reports.def.element,
  DmarcResultName: mailTests.dmarcResultName,
  DmarcSource: dmarcSource,
  DmarcSpecification: specification,
  DmarcSummary: reports.dmarcSummary,
  DmarcTimeline: dmarcTimeline,
  Domain: domains.listedDomain,
  DomainBlocklistResult: mailTests.domainBlocklistResult,
  DomainCheck: domainCheckBody,
  DomainCheckResult: domainCheckResult,
  DomainOrder: domains.domainOrder,
  DomainUpdate: domains.updateDomainBody,
  DomainWithChecks: domains.domainWithChecks,
  DsRecord: dsRecord,
  EmailReceptionCapability: emailReceptionCapability,
  Enforcement: enforcement.enforcement,
  EnforcementRule: enforcement.enforcementRule,
  EnforcementRuleId: enforcement.ruleId,
  EnforcementRuleMeasure: enforcement.ruleMeasure,
  EnforcementRuleMeasureName: enforcement.ruleMeasureName,
  EnforcementRuleUnit: enforcement.ruleUnit,
  EnforcementStage: enforcement.stage,
  Error: errorBody,
  ErrorCode: errorCode,
  ErrorDetail: errorDetail,
  ErrorInfo: error,
  Event: event,
  EventName: eventName,
  FailedSessions: alerts.failedSessions,
  FailingSender: alerts.senderFailure,
  FailingShare: alerts.failingShare,
  Finding: describedFinding,
  FindingSeverity: severity,
  FixAction: fixes.fixAction,
  FixClass: fixes.fixClass,
  FixFormat: fixes.fixFormat,
  FlattenedSpf: spf.flattened,
  Grade: grade,
  HeloMatch: mailTests.heloMatch,
  IpFamily: spf.ipFamily,
  Invitation: members.invitation,
  InvitationRequest: members.createInvitationBody,
  Member: members.member,
  MemberRole: members.role,
  MemberUpdate: members.updateMemberBody,
  ListMeta: listMeta,
  MailDelivery: mailTests.delivery,
  MailSettings: notificationSettings.mailSettings,
  MxHost: mxHost,
  MxRecord: mxRecord,
  NewDomain: domains.createDomainBody,
  NewNotificationSettings: notificationSettings.notificationsBody,
  NewToken: createTokenBody,
  Notification: webhookBody,
  NotificationKind: notificationKind,
  NotificationSettings: notificationSettings.notifications,
  OpinionResult: mailTests.opinionResult,
  Ownership: domains.ownership,
  Pagination: paginationMeta,
  PendingTest: mailTests.pendingTest,
  PlacedFinding: fixes.placedFinding,
  Preview: fixes.preview,
  PreviewRequest: fixes.previewBody,
  PtrStatus: mailTests.ptrStatus,
  ReceiverOutcome: mailTests.receiverOutcome,
  RecommendedChange: fixes.recommendedChange,
  RecommendedChanges: fixes.fixes,
  RefusedDomain: domains.refusedOutcome,
  RefusedDomainStatus: domains.refusedStatus,
  RegisteredDomain: domains.registeredOutcome,
  Reporter: enforcement.reporter,
  Reporting: domains.reporting,
  ReportMail: reportMail,
  ReportMailOutcome: mailOutcomeKind,
  ReportType: alerts.reportType,
  RequirementState: mailTests.requirementState,
  Route53ChangeBatch: fixes.route53ChangeBatch,
  Score: score,
  ScoreComponent: scoreComponent,
  ScoreComponentName: componentName,
  ScoreHistoryEntry: scoreEntry,
  ScoreLabel: scoreLabel,
  Sender: enforcement.sender,
  SenderKind: senderKind,
  SenderMxStatus: mailTests.senderMxStatus,
  SenderRequirement: mailTests.senderRequirement,
  SenderStatus: enforcement.senderStatus,
  SenderStatusFilter: senderFilter,
  SenderUpdate: updateSenderBody,
  SenderVolume: mailTests.senderVolume,
  Signature: mailTests.signature,
  SignatureReason: mailTests.signatureReason,
  SignatureVerdict: mailTests.signatureVerdict,
  SimulatedSender: enforcement.simulatedSender,
  Simulation: enforcement.simulation,
  SimulationRequest: simulationBody,
  SimulationSummary: enforcement.simulationSummary,
  SpamRule: mailTests.spamRule,
  SpamScoreLine: mailTests.scoreLine,
  SpfAllPolicy: spf.allPolicy,
  SpfCheck: spfCheckBody,
  SpfCheckResult: spfCheckResult,
  SpfIgnoredReason: spf.ignoredReason,
  SpfLookupCost: spf.breakdownRow,
  SpfLookupState: spf.lookupState,
  SpfMatchResult: spf.matchResult,
  SpfQualifier: spf.qualifier,
  SpfRecord: spf.resolvedRecord,
  SpfRecordProblem: spf.recordProblem,
  SpfReference: spf.reachedBy,
  SpfResultName: mailTests.spfResultName,
  SpfStatus: spf.expansionStatus,
  SpfSyntaxFault: spf.syntaxFault,
  SpfTerm: spf.expandedTerm,
  SpfTermKind: spf.termKind,
  SpfVersion: spf.spfVersion,
  StoppedReports: alerts.stoppedReports,
  TestedReceiver: mailTests.testedReceiver,
  TestResults: mailTests.testResults,
  ThresholdDirection: alerts.direction,
  TimelineDay: timelineDay,
  TlsPolicy: reports.tlsPolicy,
  TlsReport: reports.tlsReports.shape.reports.def.element,
  TlsSummary: reports.tlsSummary,
  Token: token,
  TokenScope: tokenScope,
  UnpredictableReason: enforcement.unpredictableReason,
  UnscoredHeaderField: mailTests.unscoredName,
  UpdatedDomain: domains.updatedDomain,
  UsageType: usageType,
  Verdict: mailTests.verdict,
  VerificationAttempt: domains.verificationAttempt,
  VerificationRecord: domains.verificationRecord,
  VerificationStatus: domains.verificationStatus,
  DigestFrequency: notificationSettings.digest,
  Weekday: notificationSettings.weekday,
  WebhookFormat: notificationSettings.webhookFormat,
  WebhookSettings: notificationSettings.webhookSettings,
  ZoneType: fixes.zoneType,
};

/** Gives the schemas their names; `z.toJSONSchema` then defines each once. */
export function nameSchemas(): void {
  for (const [id, schema] of Object.entries(named)) {
    z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
  }
}
