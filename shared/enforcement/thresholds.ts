/** The thresholds of both steps of enforcement. Percentages are of messages in the 30-day window. */
export const thresholds = {
  quarantine: {
    policyDays: 30,
    reportDays: 21,
    reporters: 3,
    reporterShare: 100,
    approvedMessages: 300,
    approvedShare: 98,
    senderShare: 95,
    dkimShare: 0,
    historyDays: 0,
    forwardingLoss: 100,
  },
  reject: {
    policyDays: 30,
    reportDays: 21,
    reporters: 3,
    reporterShare: 90,
    approvedMessages: 1000,
    approvedShare: 99.5,
    senderShare: 98,
    dkimShare: 95,
    historyDays: 400,
    forwardingLoss: 0.5,
  },
} as const;

export type Thresholds = (typeof thresholds)[keyof typeof thresholds];

/** The share of a sender with no more messages than this decides nothing: 4 of 8 is chance. */
export const MIN_MESSAGES = 10;

/** A sender without a decision blocks above this percentage of the messages of the domain, and above MIN_MESSAGES. */
export const UNDECIDED_SHARE = 0.1;
