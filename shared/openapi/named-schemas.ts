/**
 * The schemas that the OpenAPI document defines once, by name; generated clients use the names for their types.
 *
 * Longer than 350 lines: one table.
 */
import * as z from 'zod/mini';
import {
  alert,
  alertSeverity,
  alertTypes,
  direction,
  failedSessions,
  failingShare,
  reportType,
  sameCause,
  senderFailure,
  stoppedReports,
} from '../alerts/alert.ts';
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
import {
  compliance,
  complianceSettings,
  complianceSettingsBody,
  listedCompliance,
  organizationCompliance,
} from '../api/compliance.ts';
import { createdDelivery, delivery, deliveryKind, deliveryStatus } from '../api/deliveries.ts';
import { domainCheckBody } from '../api/domain-check-requests.ts';
import { domainCheckResult } from '../api/domain-checker.ts';
import {
  batchOutcome,
  createDomainBody,
  createdDomain,
  deleted,
  domainOrder,
  domainWithChecks,
  listedDomain,
  ownership,
  refusedOutcome,
  refusedStatus,
  registeredOutcome,
  reporting,
  updateDomainBody,
  updatedDomain,
  verificationAttempt,
  verificationRecord,
  verificationStatus,
} from '../api/domains.ts';
import { attestationsBody, senderFilter, simulationBody, updateSenderBody } from '../api/enforcement.ts';
import { error, errorBody, errorCode, errorDetail } from '../api/errors.ts';
import {
  fixAction,
  fixClass,
  fixes,
  fixFormat,
  placedFinding,
  preview,
  previewBody,
  recommendedChange,
  route53ChangeBatch,
  zoneType,
} from '../api/fixes.ts';
import {
  adviceState,
  adviceTopic,
  alignmentMode,
  blocklistName,
  blocklistProblem,
  blocklistResult,
  brokenRule,
  bulkReceiver,
  completedTest,
  dateStatus,
  dmarcReason,
  dmarcResultName,
  domainBlocklistResult,
  heloMatch,
  delivery as mailDelivery,
  opinionResult,
  pendingTest,
  ptrStatus,
  receiverOutcome,
  requirementState,
  scoreLine,
  senderMxStatus,
  senderRequirement,
  senderVolume,
  signature,
  signatureReason,
  signatureVerdict,
  spamRule,
  spfResultName,
  testedReceiver,
  testResults,
  unscoredName,
  verdict,
} from '../api/mail-tests.ts';
import { signInKind } from '../api/mailbox-sign-in.ts';
import {
  afterStoring,
  mailbox,
  mailboxBody,
  mailboxProblem,
  mailboxProblemCode,
  mailboxReach,
  mailboxReachStatus,
  mailboxSecurity,
  mailboxSource,
  mailboxState,
} from '../api/mailboxes.ts';
import {
  createdInvitation,
  createInvitationBody,
  invitation,
  member,
  role,
  updateMemberBody,
} from '../api/members.ts';
import {
  changedNotifications,
  digest,
  mailSettings,
  notifications,
  notificationsBody,
  webhookFormat,
  webhookSettings,
  weekday,
} from '../api/notification-settings.ts';
import { notificationKind, webhookBody } from '../api/notifications.ts';
import { mailOutcomeKind, reportMail } from '../api/report-mails.ts';
import { dispositionCounts, dmarcSource, dmarcTimeline, timelineDay } from '../api/report-sources.ts';
import {
  dmarcRecord,
  dmarcReports,
  dmarcSummary,
  tlsPolicy,
  tlsReports,
  tlsSummary,
} from '../api/reports.ts';
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
import {
  attestation,
  changeReason,
  dispositions,
  enforcement,
  enforcementRule,
  reporter,
  ruleId,
  ruleMeasure,
  ruleMeasureName,
  ruleUnit,
  sender,
  senderStatus,
  simulatedSender,
  simulation,
  simulationSummary,
  stage,
  unpredictableReason,
} from '../enforcement/shapes.ts';
import { describedFinding, severity } from '../protocol/findings/finding.ts';
import {
  allPolicy,
  breakdownRow,
  expandedTerm,
  expansionStatus,
  flattened,
  ignoredReason,
  ipFamily,
  lookupState,
  matchResult,
  qualifier,
  reachedBy,
  recordProblem,
  resolvedRecord,
  spfVersion,
  syntaxFault,
  termKind,
} from '../protocol/spf/expansion.ts';
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
  Object.entries(alertTypes).map(([type, { stored }]) => [schemaName(type, 'Alert'), stored]),
);

const eventSchemas = Object.fromEntries(
  event.def.options.map((option) => [schemaName(String(option.shape.type.def.values[0]), 'Event'), option]),
);

const named: Readonly<Record<string, z.ZodMiniType>> = {
  AdviceState: adviceState,
  AdviceTopic: adviceTopic,
  Alert: alert,
  AlertCause: sameCause,
  ...alertSchemas,
  ...eventSchemas,
  AlertGrouping: alertGrouping,
  AlertSeverity: alertSeverity,
  AlignmentMode: alignmentMode,
  AttentionItem: attention,
  Compliance: compliance,
  ComplianceSettings: complianceSettings,
  ComplianceSettingsBody: complianceSettingsBody,
  ProfileStatus: complianceStatus,
  ListedCompliance: listedCompliance,
  OrganizationCompliance: organizationCompliance,
  OwnComplianceProfile: ownProfile,
  RequirementCoverage: coverage,
  RequirementLevel: level,
  RequirementScope: requirementScope,
  RequirementStatus: requirementStatus,
  AfterStoring: afterStoring,
  AttentionKind: attentionKind,
  Mailbox: mailbox,
  MailboxBody: mailboxBody,
  MailboxProblem: mailboxProblem,
  MailboxProblemCode: mailboxProblemCode,
  MailboxReach: mailboxReach,
  MailboxReachStatus: mailboxReachStatus,
  MailboxSecurity: mailboxSecurity,
  MailboxSignInKind: signInKind,
  MailboxSource: mailboxSource,
  MailboxState: mailboxState,
  Attestation: attestation,
  Attestations: attestationsBody,
  AuditChange: auditChange,
  AuditEntry: auditEntry,
  BatchOutcome: batchOutcome,
  BlocklistName: blocklistName,
  BlocklistProblem: blocklistProblem,
  BlocklistResult: blocklistResult,
  BrokenRule: brokenRule,
  BulkReceiver: bulkReceiver,
  ChangedNotificationSettings: changedNotifications,
  ChangeReason: changeReason,
  Channel: channel,
  CheckChange: shownChange,
  CheckName: checkName,
  CheckResults: shownResults,
  ...resultSchemas,
  CheckRun: checkRun,
  ChecksHistoryEntry: checksEntry,
  CheckState: checkState,
  CompletedTest: completedTest,
  CreatedDelivery: createdDelivery,
  CreatedDomain: createdDomain,
  CreatedInvitation: createdInvitation,
  CreatedToken: createdToken,
  DateStatus: dateStatus,
  Deleted: deleted,
  Delivery: delivery,
  DeliveryKind: deliveryKind,
  DeliveryStatus: deliveryStatus,
  DispositionCounts: dispositionCounts,
  Dispositions: dispositions,
  DkimResult: dkim.def.innerType.def.element,
  DmarcPolicy: dmarcPolicy,
  DmarcReason: dmarcReason,
  DmarcRecord: dmarcRecord,
  DmarcReport: dmarcReports.shape.reports.def.element,
  DmarcResultName: dmarcResultName,
  DmarcSource: dmarcSource,
  DmarcSpecification: specification,
  DmarcSummary: dmarcSummary,
  DmarcTimeline: dmarcTimeline,
  Domain: listedDomain,
  DomainBlocklistResult: domainBlocklistResult,
  DomainCheck: domainCheckBody,
  DomainCheckResult: domainCheckResult,
  DomainOrder: domainOrder,
  DomainUpdate: updateDomainBody,
  DomainWithChecks: domainWithChecks,
  DsRecord: dsRecord,
  EmailReceptionCapability: emailReceptionCapability,
  Enforcement: enforcement,
  EnforcementRule: enforcementRule,
  EnforcementRuleId: ruleId,
  EnforcementRuleMeasure: ruleMeasure,
  EnforcementRuleMeasureName: ruleMeasureName,
  EnforcementRuleUnit: ruleUnit,
  EnforcementStage: stage,
  Error: errorBody,
  ErrorCode: errorCode,
  ErrorDetail: errorDetail,
  ErrorInfo: error,
  Event: event,
  EventName: eventName,
  FailedSessions: failedSessions,
  FailingSender: senderFailure,
  FailingShare: failingShare,
  Finding: describedFinding,
  FindingSeverity: severity,
  FixAction: fixAction,
  FixClass: fixClass,
  FixFormat: fixFormat,
  FlattenedSpf: flattened,
  Grade: grade,
  HeloMatch: heloMatch,
  IpFamily: ipFamily,
  Invitation: invitation,
  InvitationRequest: createInvitationBody,
  Member: member,
  MemberRole: role,
  MemberUpdate: updateMemberBody,
  ListMeta: listMeta,
  MailDelivery: mailDelivery,
  MailSettings: mailSettings,
  MxHost: mxHost,
  MxRecord: mxRecord,
  NewDomain: createDomainBody,
  NewNotificationSettings: notificationsBody,
  NewToken: createTokenBody,
  Notification: webhookBody,
  NotificationKind: notificationKind,
  NotificationSettings: notifications,
  OpinionResult: opinionResult,
  Ownership: ownership,
  Pagination: paginationMeta,
  PendingTest: pendingTest,
  PlacedFinding: placedFinding,
  Preview: preview,
  PreviewRequest: previewBody,
  PtrStatus: ptrStatus,
  ReceiverOutcome: receiverOutcome,
  RecommendedChange: recommendedChange,
  RecommendedChanges: fixes,
  RefusedDomain: refusedOutcome,
  RefusedDomainStatus: refusedStatus,
  RegisteredDomain: registeredOutcome,
  Reporter: reporter,
  Reporting: reporting,
  ReportMail: reportMail,
  ReportMailOutcome: mailOutcomeKind,
  ReportType: reportType,
  RequirementState: requirementState,
  Route53ChangeBatch: route53ChangeBatch,
  Score: score,
  ScoreComponent: scoreComponent,
  ScoreComponentName: componentName,
  ScoreHistoryEntry: scoreEntry,
  ScoreLabel: scoreLabel,
  Sender: sender,
  SenderKind: senderKind,
  SenderMxStatus: senderMxStatus,
  SenderRequirement: senderRequirement,
  SenderStatus: senderStatus,
  SenderStatusFilter: senderFilter,
  SenderUpdate: updateSenderBody,
  SenderVolume: senderVolume,
  Signature: signature,
  SignatureReason: signatureReason,
  SignatureVerdict: signatureVerdict,
  SimulatedSender: simulatedSender,
  Simulation: simulation,
  SimulationRequest: simulationBody,
  SimulationSummary: simulationSummary,
  SpamRule: spamRule,
  SpamScoreLine: scoreLine,
  SpfAllPolicy: allPolicy,
  SpfCheck: spfCheckBody,
  SpfCheckResult: spfCheckResult,
  SpfIgnoredReason: ignoredReason,
  SpfLookupCost: breakdownRow,
  SpfLookupState: lookupState,
  SpfMatchResult: matchResult,
  SpfQualifier: qualifier,
  SpfRecord: resolvedRecord,
  SpfRecordProblem: recordProblem,
  SpfReference: reachedBy,
  SpfResultName: spfResultName,
  SpfStatus: expansionStatus,
  SpfSyntaxFault: syntaxFault,
  SpfTerm: expandedTerm,
  SpfTermKind: termKind,
  SpfVersion: spfVersion,
  StoppedReports: stoppedReports,
  TestedReceiver: testedReceiver,
  TestResults: testResults,
  ThresholdDirection: direction,
  TimelineDay: timelineDay,
  TlsPolicy: tlsPolicy,
  TlsReport: tlsReports.shape.reports.def.element,
  TlsSummary: tlsSummary,
  Token: token,
  TokenScope: tokenScope,
  UnpredictableReason: unpredictableReason,
  UnscoredHeaderField: unscoredName,
  UpdatedDomain: updatedDomain,
  UsageType: usageType,
  Verdict: verdict,
  VerificationAttempt: verificationAttempt,
  VerificationRecord: verificationRecord,
  VerificationStatus: verificationStatus,
  DigestFrequency: digest,
  Weekday: weekday,
  WebhookFormat: webhookFormat,
  WebhookSettings: webhookSettings,
  ZoneType: zoneType,
};

/** Gives the schemas their names; `z.toJSONSchema` then defines each once. */
export function nameSchemas(): void {
  for (const [id, schema] of Object.entries(named)) {
    z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), id });
  }
}
