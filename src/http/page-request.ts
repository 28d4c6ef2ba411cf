/** Recognizes requests that a page in a browser has caused, by the headers that only browsers set. */

interface BrowserHeaders {
  readonly origin?: string | undefined;
  readonly 'sec-fetch-site'?: string | undefined;
}

/** Whether a page may have caused the request. Browsers send forms to other sites, with stored credentials and without a preflight. */
export function isOfPage({ origin, 'sec-fetch-site': site }: BrowserHeaders): boolean {
  return origin !== undefined || isOfOtherSite(site);
}

/** Whether the page of another site has caused a request with this `Sec-Fetch-Site`. */
export function isOfOtherSite(site: string | undefined): boolean {
  return site !== undefined && site !== 'none' && site !== 'same-origin';
}
