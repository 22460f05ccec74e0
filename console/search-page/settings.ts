// How an index wants its page: the server has read `_meta.search_page` of its mapping, and what its fields suggest.
export interface Facet { field: string, title: string }
export interface Settings {
  title: string
  lead: string
  placeholder: string
  title_field: string
  text_field: string
  url_field: string
  facets: Facet[]
}
