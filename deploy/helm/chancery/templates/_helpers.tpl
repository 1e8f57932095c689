{{/* The name of all objects: the release's, which contains the chart's. */}}
{{- define "chancery.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What all pods of the release have. */}}
{{- define "chancery.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "chancery.labels" -}}
{{ include "chancery.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{/* The pods of one component. Takes the root and the component: serve, work, migrate or test. */}}
{{- define "chancery.component" -}}
{{ include "chancery.selector" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "chancery.image" -}}
{{ required "image.repository: name the image that you built" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* What the schema cannot say. */}}
{{- define "chancery.check" -}}
{{- if eq (empty .Values.files.url) (empty .Values.files.existingClaim) -}}
{{- fail "files: set either url or existingClaim" -}}
{{- end -}}
{{- range $name, $value := .Values.settings -}}
{{- if has $name $.Values.secret.keys -}}
{{- fail (printf "settings.%s: secret.keys has it already" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The pod of a server or a command. Takes the root, the component and the arguments of `chancery`. */}}
{{- define "chancery.pod" -}}
{{- $values := .root.Values -}}
{{- include "chancery.check" .root -}}
serviceAccountName: {{ $values.serviceAccountName }}
automountServiceAccountToken: false
# Kubernetes would set CHANCERY_PORT for a service named chancery.
enableServiceLinks: false
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: chancery
    image: {{ include "chancery.image" .root }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: {{ toJson .args }}
    securityContext:
      readOnlyRootFilesystem: true
      allowPrivilegeEscalation: false
      capabilities:
        drop: [ALL]
    env:
      - name: CHANCERY_ROLE
        value: {{ .role | default "all" }}
      - name: CHANCERY_SHUTDOWN_GRACE
        value: {{ mul $values.shutdownGraceSeconds 1000 | quote }}
      - name: CHANCERY_FILES
        value: {{ $values.files.url | default "/var/lib/chancery-files" | quote }}
      {{- if and $values.ingress.enabled (not (hasKey $values.settings "CHANCERY_SITE_URL")) }}
      - name: CHANCERY_SITE_URL
        value: https://{{ $values.ingress.host }}
      {{- end }}
      {{- range $name, $value := $values.settings }}
      - name: {{ $name }}
        value: {{ $value | toString | quote }}
      {{- end }}
      {{- range $values.secret.keys }}
      - name: {{ . }}_FILE
        value: /run/secrets/chancery/{{ . }}
      {{- end }}
      {{- with $values.extraEnv }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- with .server }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
    volumeMounts:
      - name: secret
        mountPath: /run/secrets/chancery
        readOnly: true
      - name: data
        mountPath: /var/lib/chancery
      - name: tmp
        mountPath: /tmp
      {{- if $values.files.existingClaim }}
      - name: files
        mountPath: /var/lib/chancery-files
      {{- end }}
      {{- with $values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: secret
    secret:
      secretName: {{ required "secret.name: name the Secret that you made" $values.secret.name }}
      defaultMode: 0440
      items:
        {{- range $values.secret.keys }}
        - key: {{ . }}
          path: {{ . }}
        {{- end }}
  # With PostgreSQL and shared files, a server needs nothing of its data directory again.
  - name: data
    emptyDir: {}
  - name: tmp
    emptyDir: {}
  {{- with $values.files.existingClaim }}
  - name: files
    persistentVolumeClaim:
      claimName: {{ . }}
  {{- end }}
  {{- with $values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
