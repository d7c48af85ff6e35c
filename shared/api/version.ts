/** The version of the v1 API. */
export const API_VERSION = '1.0.0';
