/** Addresses of pages that link to each other. */
export const MEMBERS_PATH = '/console/members';
export const OPERATOR_PATH = '/console/operator';
