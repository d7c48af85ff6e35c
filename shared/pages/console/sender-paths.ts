/** The addresses of the pages about the senders of all domains. */
export const SENDERS_PATH = '/console/senders';

export const organizationSenderPath = (senderId: string): string => `${SENDERS_PATH}/${senderId}`;
