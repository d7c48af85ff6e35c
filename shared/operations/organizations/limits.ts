/** The scale that the service is designed for; one organization can have all of it. */
export const MAX_DOMAIN_LIMIT = 1_000_000;
export const MAX_SCORE = 100;
