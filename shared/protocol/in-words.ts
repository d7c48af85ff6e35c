/** A code such as `given-up`, for people: `given up`. */
export const inWords = (code: string): string => code.replaceAll('-', ' ');
