{{- define "agentlore.name" -}}
{{- if contains "agentlore" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-agentlore" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "agentlore.selector" -}}
app.kubernetes.io/name: agentlore
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "agentlore.labels" -}}
{{ include "agentlore.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "agentlore.elasticsearch" -}}{{ printf "%s-store" (include "agentlore.name" .) }}{{- end }}
{{- define "agentlore.redis" -}}{{ printf "%s-redis" (include "agentlore.name" .) }}{{- end }}

{{- define "agentlore.redisSelector" -}}
app.kubernetes.io/name: agentlore-redis
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Whether ECK runs Elasticsearch, and this chart Redis: words, since a template returns text. */}}
{{- define "agentlore.withECK" -}}{{ if and .Values.elasticsearch.install (not .Values.elasticsearch.urls) }}yes{{ end }}{{- end }}
{{- define "agentlore.withRedis" -}}{{ if and .Values.redis.install (not .Values.redis.url) }}yes{{ end }}{{- end }}

{{/* What a container may do: what Pod Security's level "restricted" demands, and no writing. */}}
{{- define "agentlore.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
