// What Jinja would take and Cairn refuses, with the words that say so.
export const refused = [
  { template: "{% include 'x' %}", why: /line 1, column 4: the statement 'include' is not offered/ },
  { template: "{% import 'x' as y %}", why: /'import' is not offered/ },
  { template: "{% block a %}{% endblock %}", why: /'block' is not offered/ },
  { template: "{% for a in [] recursive %}{% endfor %}", why: /recursive loops are not offered/ },
  { template: "a\n {{ [1]|groupby('a') }}", why: /line 2, column 9: there is no filter named 'groupby'/ },
  { template: "{{ '%s' % 'a' }}", why: /'%' does not go with str and str/ },
  { template: "{{ f(*[1]) }}", why: /calls with \* or \*\* are not offered/ },
  { template: "{{ 9223372036854775807 + 1 }}", why: /more than 64 bits/ },
  { template: "{{ 'a'.__class__.mro() }}", why: /'__class__' is undefined/ },
  { template: "{{ 'a'.format(1) }}", why: /'format' is undefined/ },
];
