package main

// redisSecrets are what Redis is reached with besides its URL.
type redisSecrets struct {
	RedisPassword     string `name:"redis-password" env:"REDIS_PASSWORD" help:"Redis's password, instead of one in the URL; better given by file."`
	RedisPasswordFile string `name:"redis-password-file" env:"REDIS_PASSWORD_FILE" help:"File that holds the password." placeholder:"FILE"`
	RedisCA           string `name:"redis-ca" env:"REDIS_CA" help:"PEM file of the certificate authority that signed the certificate of a rediss:// server." placeholder:"FILE"`
}
